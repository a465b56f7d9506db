-- What a channel type can do becomes columns of its channels.
ALTER TABLE "notification_channels" ADD COLUMN "audience" text;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD COLUMN "follows_alert" boolean;--> statement-breakpoint
ALTER TABLE "notification_channels" ADD COLUMN "subject_kind" text;
--> statement-breakpoint
-- The capabilities of the types so far. From here on the hub writes those that the adapter states.
update notification_channels set
  audience = case
    when channel_type = 'webhook' then 'program'
    when channel_type in ('incident_a', 'incident_b') then 'incident'
    when channel_type in ('ticketing_a', 'ticketing_b') then 'ticketing'
    else 'people'
  end,
  follows_alert = channel_type in ('incident_a', 'incident_b', 'ticketing_a', 'ticketing_b'),
  subject_kind = case
    when channel_type in ('incident_a', 'incident_b') then 'alert'
    when channel_type in ('ticketing_a', 'ticketing_b') then 'series'
  end;
--> statement-breakpoint
-- The defaults are for hubs of the previous version, which insert channels without these columns. The next start of a newer hub corrects them.
ALTER TABLE "notification_channels" ALTER COLUMN "audience" SET DEFAULT 'people';--> statement-breakpoint
ALTER TABLE "notification_channels" ALTER COLUMN "follows_alert" SET DEFAULT false;--> statement-breakpoint
ALTER TABLE "notification_channels" ALTER COLUMN "audience" SET NOT NULL;--> statement-breakpoint
ALTER TABLE "notification_channels" ALTER COLUMN "follows_alert" SET NOT NULL;
--> statement-breakpoint
grant select (audience, subject_kind) on notification_channels to haltless_ingest;
