-- Natural order of names: `press 2` before `press 10`. Lists sort by this collation, and pages by its index. A hub of the version before sorts
-- by "und-x-icu" without an index meanwhile.

CREATE COLLATION natural_order (provider = icu, locale = 'und-u-kn');--> statement-breakpoint
DROP INDEX "machines_name_idx";--> statement-breakpoint
CREATE INDEX "machines_natural_name_idx" ON "machines" USING btree ("tenant_id","name" collate natural_order,"id");
