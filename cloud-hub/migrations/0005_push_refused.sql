-- Browsers whose push service refuses for a day are deleted, and functions that run as the owner act for no other tenant.
-- functions: f738dca2029a07d1726390addf9e774081f0039ae725703944d85c4b95703f20

ALTER TABLE "notification_channels" ADD COLUMN "refused_since" timestamp (3) with time zone;