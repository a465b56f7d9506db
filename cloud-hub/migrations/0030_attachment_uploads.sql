CREATE TABLE "attachment_uploads" (
	"tenant_id" uuid NOT NULL,
	"storage_key" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"expires_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "attachment_uploads_tenant_id_storage_key_pk" PRIMARY KEY("tenant_id","storage_key")
);
--> statement-breakpoint
CREATE INDEX "attachment_uploads_expiry_idx" ON "attachment_uploads" USING btree ("expires_at");
--> statement-breakpoint
call build_tenant_wall('attachment_uploads');
