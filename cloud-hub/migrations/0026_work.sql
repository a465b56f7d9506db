CREATE TABLE "attachment_deletions" (
	"tenant_id" uuid NOT NULL,
	"storage_key" text NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"error" text,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "attachment_deletions_tenant_id_storage_key_pk" PRIMARY KEY("tenant_id","storage_key")
);
--> statement-breakpoint
CREATE TABLE "attachments" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"work_order_id" uuid,
	"maintenance_event_id" uuid,
	"uploaded_by" uuid NOT NULL,
	"filename" text NOT NULL,
	"content_type" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"sha256" text NOT NULL,
	"storage_key" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "attachments_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "attachments_storage_key_unique" UNIQUE("storage_key"),
	CONSTRAINT "attachments_work_order_key" UNIQUE("tenant_id","work_order_id","id"),
	CONSTRAINT "attachments_owner_check" CHECK (num_nonnulls("attachments"."work_order_id", "attachments"."maintenance_event_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "work_order_instructions" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"work_order_id" uuid NOT NULL,
	"step_order" integer NOT NULL,
	"title" text NOT NULL,
	"body" text,
	"attachment_id" uuid,
	"completed_at" timestamp (3) with time zone,
	"completed_by" uuid,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "work_order_instructions_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "work_order_instructions_step_check" CHECK ("work_order_instructions"."step_order" >= 1)
);
--> statement-breakpoint
CREATE TABLE "calendar_tokens" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"label" text NOT NULL,
	"token_hash" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp (3) with time zone,
	CONSTRAINT "calendar_tokens_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "calendar_tokens_token_hash_unique" UNIQUE("token_hash")
);
--> statement-breakpoint
CREATE TABLE "checklists" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"name" text NOT NULL,
	"steps" jsonb NOT NULL,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "checklists_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "maintenance_events" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"title" text NOT NULL,
	"description" text,
	"scheduled_start" timestamp (3) with time zone NOT NULL,
	"scheduled_end" timestamp (3) with time zone NOT NULL,
	"status" text DEFAULT 'scheduled' NOT NULL,
	"linked_alert_id" uuid,
	"assigned_to" uuid,
	"checklist_id" uuid,
	"recurrence_rule" text,
	"time_zone" text,
	"next_occurrence" integer,
	"next_occurrence_at" timestamp (3) with time zone,
	"parent_event_id" uuid,
	"occurrence" integer,
	"is_edited" boolean DEFAULT false NOT NULL,
	"sequence" integer DEFAULT 0 NOT NULL,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "maintenance_events_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "maintenance_events_order_check" CHECK ("maintenance_events"."scheduled_end" > "maintenance_events"."scheduled_start")
);
--> statement-breakpoint
CREATE TABLE "certificates" (
	"tenant_id" uuid NOT NULL,
	"work_order_id" uuid NOT NULL,
	"reference" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "certificates_tenant_id_work_order_id_pk" PRIMARY KEY("tenant_id","work_order_id"),
	CONSTRAINT "certificates_reference_unique" UNIQUE("reference")
);
--> statement-breakpoint
CREATE TABLE "signoff_chains" (
	"tenant_id" uuid PRIMARY KEY NOT NULL,
	"sequence" bigint NOT NULL,
	"head_hash" text NOT NULL,
	"anchored_sequence" bigint DEFAULT 0 NOT NULL,
	"anchored_at" timestamp (3) with time zone
);
--> statement-breakpoint
CREATE TABLE "signoffs" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"work_order_id" uuid NOT NULL,
	"number" smallint NOT NULL,
	"sequence" bigint NOT NULL,
	"signed_by" uuid NOT NULL,
	"signer_name" text NOT NULL,
	"signer_email" text NOT NULL,
	"signer_role" text NOT NULL,
	"names" jsonb NOT NULL,
	"payload_version" integer NOT NULL,
	"payload" text NOT NULL,
	"key_id" text NOT NULL,
	"signature_hash" text NOT NULL,
	"previous_hash" text,
	"tenant_previous_hash" text,
	"signed_at" timestamp (3) with time zone NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "signoffs_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "signoffs_number_key" UNIQUE("tenant_id","work_order_id","number"),
	CONSTRAINT "signoffs_sequence_key" UNIQUE("tenant_id","sequence"),
	CONSTRAINT "signoffs_number_check" CHECK ("signoffs"."number" between 1 and 20)
);
--> statement-breakpoint
CREATE TABLE "deleted_resources" (
	"tenant_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"deleted_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "deleted_resources_tenant_id_kind_id_pk" PRIMARY KEY("tenant_id","kind","id")
);
--> statement-breakpoint
CREATE TABLE "work_messages" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"user_id" uuid NOT NULL,
	"channel_id" uuid,
	"work_order_id" uuid,
	"maintenance_event_id" uuid,
	"status" text DEFAULT 'waiting' NOT NULL,
	"attempts" integer DEFAULT 0 NOT NULL,
	"error" text,
	"due_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "work_messages_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "work_messages_subject_check" CHECK (num_nonnulls("work_messages"."work_order_id", "work_messages"."maintenance_event_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "work_reminders" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"work_order_id" uuid,
	"maintenance_event_id" uuid,
	"for_time" timestamp (3) with time zone NOT NULL,
	"sent_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "work_reminders_tenant_id_id_pk" PRIMARY KEY("tenant_id","id"),
	CONSTRAINT "work_reminders_once_key" UNIQUE NULLS NOT DISTINCT("tenant_id","work_order_id","maintenance_event_id","kind","for_time"),
	CONSTRAINT "work_reminders_subject_check" CHECK (num_nonnulls("work_reminders"."work_order_id", "work_reminders"."maintenance_event_id") = 1)
);
--> statement-breakpoint
CREATE TABLE "work_order_assignees" (
	"tenant_id" uuid NOT NULL,
	"work_order_id" uuid NOT NULL,
	"user_id" uuid NOT NULL,
	"position" integer NOT NULL,
	CONSTRAINT "work_order_assignees_tenant_id_work_order_id_user_id_pk" PRIMARY KEY("tenant_id","work_order_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "work_order_comments" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"work_order_id" uuid NOT NULL,
	"author_id" uuid NOT NULL,
	"author_name" text NOT NULL,
	"body" text NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "work_order_comments_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "work_order_history" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"work_order_id" uuid NOT NULL,
	"at" timestamp (3) with time zone NOT NULL,
	"actor" jsonb,
	"event" text NOT NULL,
	"subject_id" uuid,
	"subject_name" text,
	"changes" jsonb,
	CONSTRAINT "work_order_history_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
CREATE TABLE "work_orders" (
	"id" uuid DEFAULT uuidv7() NOT NULL,
	"tenant_id" uuid NOT NULL,
	"machine_id" uuid NOT NULL,
	"alert_id" uuid,
	"maintenance_event_id" uuid,
	"title" text NOT NULL,
	"description" text,
	"status" text DEFAULT 'open' NOT NULL,
	"priority" text DEFAULT 'medium' NOT NULL,
	"assigned_to" uuid,
	"due_date" timestamp (3) with time zone,
	"completed_at" timestamp (3) with time zone,
	"completion_notes" text,
	"created_by" uuid NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "work_orders_tenant_id_id_pk" PRIMARY KEY("tenant_id","id")
);
--> statement-breakpoint
ALTER TABLE "tenants" ADD COLUMN "time_zone" text DEFAULT 'UTC' NOT NULL;--> statement-breakpoint
ALTER TABLE "alerts" ADD COLUMN "is_muted" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_tenant_id_work_order_id_work_orders_tenant_id_id_fk" FOREIGN KEY ("tenant_id","work_order_id") REFERENCES "public"."work_orders"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "attachments" ADD CONSTRAINT "attachments_tenant_id_maintenance_event_id_maintenance_events_tenant_id_id_fk" FOREIGN KEY ("tenant_id","maintenance_event_id") REFERENCES "public"."maintenance_events"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_order_instructions" ADD CONSTRAINT "work_order_instructions_tenant_id_work_order_id_work_orders_tenant_id_id_fk" FOREIGN KEY ("tenant_id","work_order_id") REFERENCES "public"."work_orders"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_order_instructions" ADD CONSTRAINT "work_order_instructions_attachment_fk" FOREIGN KEY ("tenant_id","work_order_id","attachment_id") REFERENCES "public"."attachments"("tenant_id","work_order_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "calendar_tokens" ADD CONSTRAINT "calendar_tokens_tenant_id_user_id_users_tenant_id_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "checklists" ADD CONSTRAINT "checklists_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "maintenance_events" ADD CONSTRAINT "maintenance_events_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "maintenance_events" ADD CONSTRAINT "maintenance_events_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "maintenance_events" ADD CONSTRAINT "maintenance_events_tenant_id_linked_alert_id_alerts_tenant_id_id_fk" FOREIGN KEY ("tenant_id","linked_alert_id") REFERENCES "public"."alerts"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "maintenance_events" ADD CONSTRAINT "maintenance_events_tenant_id_assigned_to_users_tenant_id_id_fk" FOREIGN KEY ("tenant_id","assigned_to") REFERENCES "public"."users"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "maintenance_events" ADD CONSTRAINT "maintenance_events_checklist_fk" FOREIGN KEY ("tenant_id","checklist_id") REFERENCES "public"."checklists"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "maintenance_events" ADD CONSTRAINT "maintenance_events_parent_fk" FOREIGN KEY ("tenant_id","parent_event_id") REFERENCES "public"."maintenance_events"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "certificates" ADD CONSTRAINT "certificates_tenant_id_work_order_id_work_orders_tenant_id_id_fk" FOREIGN KEY ("tenant_id","work_order_id") REFERENCES "public"."work_orders"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signoff_chains" ADD CONSTRAINT "signoff_chains_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signoffs" ADD CONSTRAINT "signoffs_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "signoffs" ADD CONSTRAINT "signoffs_tenant_id_work_order_id_work_orders_tenant_id_id_fk" FOREIGN KEY ("tenant_id","work_order_id") REFERENCES "public"."work_orders"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_messages" ADD CONSTRAINT "work_messages_tenant_id_user_id_users_tenant_id_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_messages" ADD CONSTRAINT "work_messages_tenant_id_channel_id_notification_channels_tenant_id_id_fk" FOREIGN KEY ("tenant_id","channel_id") REFERENCES "public"."notification_channels"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_messages" ADD CONSTRAINT "work_messages_tenant_id_work_order_id_work_orders_tenant_id_id_fk" FOREIGN KEY ("tenant_id","work_order_id") REFERENCES "public"."work_orders"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_messages" ADD CONSTRAINT "work_messages_tenant_id_maintenance_event_id_maintenance_events_tenant_id_id_fk" FOREIGN KEY ("tenant_id","maintenance_event_id") REFERENCES "public"."maintenance_events"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_reminders" ADD CONSTRAINT "work_reminders_tenant_id_work_order_id_work_orders_tenant_id_id_fk" FOREIGN KEY ("tenant_id","work_order_id") REFERENCES "public"."work_orders"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_reminders" ADD CONSTRAINT "work_reminders_tenant_id_maintenance_event_id_maintenance_events_tenant_id_id_fk" FOREIGN KEY ("tenant_id","maintenance_event_id") REFERENCES "public"."maintenance_events"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_order_assignees" ADD CONSTRAINT "work_order_assignees_tenant_id_work_order_id_work_orders_tenant_id_id_fk" FOREIGN KEY ("tenant_id","work_order_id") REFERENCES "public"."work_orders"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_order_assignees" ADD CONSTRAINT "work_order_assignees_tenant_id_user_id_users_tenant_id_id_fk" FOREIGN KEY ("tenant_id","user_id") REFERENCES "public"."users"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_order_comments" ADD CONSTRAINT "work_order_comments_tenant_id_work_order_id_work_orders_tenant_id_id_fk" FOREIGN KEY ("tenant_id","work_order_id") REFERENCES "public"."work_orders"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_order_history" ADD CONSTRAINT "work_order_history_tenant_id_work_order_id_work_orders_tenant_id_id_fk" FOREIGN KEY ("tenant_id","work_order_id") REFERENCES "public"."work_orders"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_orders" ADD CONSTRAINT "work_orders_tenant_id_tenants_id_fk" FOREIGN KEY ("tenant_id") REFERENCES "public"."tenants"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_orders" ADD CONSTRAINT "work_orders_tenant_id_machine_id_machines_tenant_id_id_fk" FOREIGN KEY ("tenant_id","machine_id") REFERENCES "public"."machines"("tenant_id","id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_orders" ADD CONSTRAINT "work_orders_tenant_id_alert_id_alerts_tenant_id_id_fk" FOREIGN KEY ("tenant_id","alert_id") REFERENCES "public"."alerts"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "work_orders" ADD CONSTRAINT "work_orders_tenant_id_assigned_to_users_tenant_id_id_fk" FOREIGN KEY ("tenant_id","assigned_to") REFERENCES "public"."users"("tenant_id","id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "attachment_deletions_due_idx" ON "attachment_deletions" USING btree ("due_at");--> statement-breakpoint
CREATE INDEX "attachments_order_idx" ON "attachments" USING btree ("tenant_id","work_order_id","created_at","id") WHERE "attachments"."work_order_id" is not null;--> statement-breakpoint
CREATE INDEX "attachments_event_idx" ON "attachments" USING btree ("tenant_id","maintenance_event_id","created_at","id") WHERE "attachments"."maintenance_event_id" is not null;--> statement-breakpoint
CREATE INDEX "attachments_size_idx" ON "attachments" USING btree ("tenant_id","size_bytes");--> statement-breakpoint
CREATE INDEX "work_order_instructions_order_idx" ON "work_order_instructions" USING btree ("tenant_id","work_order_id","step_order","created_at","id");--> statement-breakpoint
CREATE INDEX "work_order_instructions_attachment_idx" ON "work_order_instructions" USING btree ("tenant_id","attachment_id") WHERE "work_order_instructions"."attachment_id" is not null;--> statement-breakpoint
CREATE INDEX "calendar_tokens_user_idx" ON "calendar_tokens" USING btree ("tenant_id","user_id","created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "checklists_name_key" ON "checklists" USING btree ("tenant_id",lower("name"));--> statement-breakpoint
CREATE INDEX "maintenance_events_start_idx" ON "maintenance_events" USING btree ("tenant_id","scheduled_start","id");--> statement-breakpoint
CREATE INDEX "maintenance_events_machine_idx" ON "maintenance_events" USING btree ("tenant_id","machine_id","scheduled_start","id");--> statement-breakpoint
CREATE INDEX "maintenance_events_status_idx" ON "maintenance_events" USING btree ("tenant_id","status","scheduled_start","id");--> statement-breakpoint
CREATE INDEX "maintenance_events_assigned_idx" ON "maintenance_events" USING btree ("tenant_id","assigned_to","scheduled_start") WHERE "maintenance_events"."assigned_to" is not null;--> statement-breakpoint
CREATE INDEX "maintenance_events_alert_idx" ON "maintenance_events" USING btree ("tenant_id","linked_alert_id") WHERE "maintenance_events"."linked_alert_id" is not null;--> statement-breakpoint
CREATE INDEX "maintenance_events_checklist_idx" ON "maintenance_events" USING btree ("tenant_id","checklist_id") WHERE "maintenance_events"."checklist_id" is not null;--> statement-breakpoint
CREATE UNIQUE INDEX "maintenance_events_occurrence_key" ON "maintenance_events" USING btree ("tenant_id","parent_event_id","occurrence") WHERE "maintenance_events"."parent_event_id" is not null;--> statement-breakpoint
CREATE INDEX "maintenance_events_muting_idx" ON "maintenance_events" USING btree ("tenant_id","machine_id") WHERE "maintenance_events"."status" = 'in_progress';--> statement-breakpoint
CREATE INDEX "maintenance_events_fill_idx" ON "maintenance_events" USING btree ("next_occurrence_at") WHERE "maintenance_events"."next_occurrence_at" is not null;--> statement-breakpoint
CREATE INDEX "maintenance_events_reminder_idx" ON "maintenance_events" USING btree ("scheduled_start") WHERE "maintenance_events"."status" = 'scheduled';--> statement-breakpoint
CREATE INDEX "maintenance_events_overrun_idx" ON "maintenance_events" USING btree ("scheduled_end") WHERE "maintenance_events"."status" = 'in_progress';--> statement-breakpoint
CREATE INDEX "maintenance_events_updated_idx" ON "maintenance_events" USING btree ("tenant_id","updated_at");--> statement-breakpoint
CREATE INDEX "signoff_chains_anchored_idx" ON "signoff_chains" USING btree ("anchored_at");--> statement-breakpoint
CREATE INDEX "deleted_resources_newest_idx" ON "deleted_resources" USING btree ("tenant_id","deleted_at");--> statement-breakpoint
CREATE INDEX "deleted_resources_age_idx" ON "deleted_resources" USING btree ("deleted_at");--> statement-breakpoint
CREATE INDEX "work_messages_due_idx" ON "work_messages" USING btree ("due_at") WHERE "work_messages"."status" = 'waiting';--> statement-breakpoint
CREATE INDEX "work_messages_created_idx" ON "work_messages" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "work_messages_user_idx" ON "work_messages" USING btree ("tenant_id","user_id");--> statement-breakpoint
CREATE INDEX "work_messages_channel_idx" ON "work_messages" USING btree ("tenant_id","channel_id") WHERE "work_messages"."channel_id" is not null;--> statement-breakpoint
CREATE INDEX "work_messages_order_idx" ON "work_messages" USING btree ("tenant_id","work_order_id") WHERE "work_messages"."work_order_id" is not null;--> statement-breakpoint
CREATE INDEX "work_messages_event_idx" ON "work_messages" USING btree ("tenant_id","maintenance_event_id") WHERE "work_messages"."maintenance_event_id" is not null;--> statement-breakpoint
CREATE INDEX "work_reminders_event_idx" ON "work_reminders" USING btree ("tenant_id","maintenance_event_id") WHERE "work_reminders"."maintenance_event_id" is not null;--> statement-breakpoint
CREATE INDEX "work_order_assignees_user_idx" ON "work_order_assignees" USING btree ("tenant_id","user_id");--> statement-breakpoint
CREATE INDEX "work_order_comments_order_idx" ON "work_order_comments" USING btree ("tenant_id","work_order_id","created_at","id");--> statement-breakpoint
CREATE INDEX "work_order_history_order_idx" ON "work_order_history" USING btree ("tenant_id","work_order_id","at","id");--> statement-breakpoint
CREATE INDEX "work_orders_newest_idx" ON "work_orders" USING btree ("tenant_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "work_orders_machine_idx" ON "work_orders" USING btree ("tenant_id","machine_id","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "work_orders_status_idx" ON "work_orders" USING btree ("tenant_id","status","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "work_orders_priority_idx" ON "work_orders" USING btree ("tenant_id","priority","created_at" DESC NULLS LAST,"id" DESC NULLS LAST);--> statement-breakpoint
CREATE INDEX "work_orders_assigned_idx" ON "work_orders" USING btree ("tenant_id","assigned_to","created_at" DESC NULLS LAST) WHERE "work_orders"."assigned_to" is not null;--> statement-breakpoint
CREATE INDEX "work_orders_due_idx" ON "work_orders" USING btree ("tenant_id","due_date","id") WHERE "work_orders"."status" in ('open', 'in_progress');--> statement-breakpoint
CREATE UNIQUE INDEX "work_orders_alert_key" ON "work_orders" USING btree ("tenant_id","alert_id") WHERE "work_orders"."alert_id" is not null and "work_orders"."status" in ('open', 'in_progress');--> statement-breakpoint
CREATE UNIQUE INDEX "work_orders_event_key" ON "work_orders" USING btree ("tenant_id","maintenance_event_id") WHERE "work_orders"."maintenance_event_id" is not null and "work_orders"."status" in ('open', 'in_progress');--> statement-breakpoint
CREATE INDEX "work_orders_alert_idx" ON "work_orders" USING btree ("tenant_id","alert_id") WHERE "work_orders"."alert_id" is not null;--> statement-breakpoint
CREATE INDEX "work_orders_event_idx" ON "work_orders" USING btree ("tenant_id","maintenance_event_id") WHERE "work_orders"."maintenance_event_id" is not null;--> statement-breakpoint
CREATE INDEX "work_orders_reminder_idx" ON "work_orders" USING btree ("due_date") WHERE "work_orders"."status" in ('open', 'in_progress');--> statement-breakpoint
CREATE INDEX "work_orders_updated_idx" ON "work_orders" USING btree ("tenant_id","updated_at");
--> statement-breakpoint
grant update (time_zone) on tenants to haltless_app;
--> statement-breakpoint
do $$
declare
  target text;
begin
  foreach target in array array['attachment_deletions', 'attachments', 'calendar_tokens', 'certificates', 'checklists', 'deleted_resources',
    'maintenance_events', 'signoff_chains', 'signoffs', 'work_messages', 'work_order_assignees', 'work_order_comments', 'work_order_history',
    'work_order_instructions', 'work_orders', 'work_reminders'] loop
    call build_tenant_wall(target::regclass);
  end loop;
end $$;
--> statement-breakpoint
-- Sign-offs and history are written once. Triggers write the other two.
revoke update, delete on signoffs, work_order_history from haltless_app, haltless_system;
--> statement-breakpoint
revoke insert, update, delete on deleted_resources, attachment_deletions from haltless_app;
--> statement-breakpoint
revoke insert, update on deleted_resources from haltless_system;
--> statement-breakpoint
-- Statements that store alerts check whether maintenance mutes them.
call let_ingest('maintenance_events', 'select (tenant_id, machine_id, status)');
