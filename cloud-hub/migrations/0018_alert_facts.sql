-- What the sentence of an alert was made of, beside its values. Alerts from before, and those of a hub of the version before, have neither.

ALTER TABLE "alerts" ADD COLUMN "comparison" text;--> statement-breakpoint
ALTER TABLE "alerts" ADD COLUMN "rule_name" text;
