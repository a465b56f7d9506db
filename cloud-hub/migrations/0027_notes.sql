-- Notes of people at an instant or a range of a machine or group. Messages of work also tell people that a note mentions them: a hub of the
-- version before that takes such a message sends nothing.
-- functions: 9659cf970787b03c7674d09b5ee864595ec20f26beb6fc6c31c80df2c7ca615c
CREATE TABLE "notes" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid,
	"group_id" uuid,
	"starts_at" timestamp (3) with time zone NOT NULL,
	"ends_at" timestamp (3) with time zone,
	"body" text NOT NULL,
	"mention_ids" uuid[] DEFAULT '{}' NOT NULL,
	"author_id" uuid NOT NULL,
	"author_name" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "notes_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "notes_subject_check" CHECK (num_nonnulls("notes"."machine_id", "notes"."group_id") = 1),
	CONSTRAINT "notes_order_check" CHECK ("notes"."ends_at" > "notes"."starts_at")
);
--> statement-breakpoint
ALTER TABLE "work_messages" DROP CONSTRAINT "work_messages_subject_check";--> statement-breakpoint
ALTER TABLE "deleted_resources" ALTER COLUMN "machine_id" DROP NOT NULL;--> statement-breakpoint
ALTER TABLE "deleted_resources" ADD COLUMN "group_id" uuid;--> statement-breakpoint
ALTER TABLE "work_messages" ADD COLUMN "note_id" uuid;--> statement-breakpoint
ALTER TABLE "notes" ADD CONSTRAINT "notes_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notes" ADD CONSTRAINT "notes_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "notes" ADD CONSTRAINT "notes_tenant_id_group_id_machine_groups_tenant_id_id_fk" FOREIGN KEY ("tenant_id","group_id") REFERENCES "public"."machine_groups"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "notes_newest_idx" ON "notes" USING btree ("tenant_id","starts_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "notes_machine_idx" ON "notes" USING btree ("tenant_id","machine_id","starts_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE "notes"."machine_id" is not null;--> statement-breakpoint
CREATE INDEX "notes_group_idx" ON "notes" USING btree ("tenant_id","group_id","starts_at" DESC NULLS LAST,"id" DESC NULLS LAST) WHERE "notes"."group_id" is not null;--> statement-breakpoint
CREATE INDEX "notes_updated_idx" ON "notes" USING btree ("tenant_id","updated_at");--> statement-breakpoint
ALTER TABLE "work_messages" ADD CONSTRAINT "work_messages_tenant_id_note_id_notes_tenant_id_id_fk" FOREIGN KEY ("tenant_id","note_id") REFERENCES "public"."notes"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "work_messages_note_idx" ON "work_messages" USING btree ("tenant_id","note_id") WHERE "work_messages"."note_id" is not null;--> statement-breakpoint
ALTER TABLE "work_messages" ADD CONSTRAINT "work_messages_subject_check" CHECK (num_nonnulls("work_messages"."work_order_id", "work_messages"."maintenance_event_id", "work_messages"."note_id") = 1);--> statement-breakpoint
alter table notes enable row level security;--> statement-breakpoint
grant select, insert, update, delete on notes to haltless_app, haltless_system;
