-- Faults with codes beside the sentences of the ERP exchange, in runs and in the entries of its log.

ALTER TABLE "erp_runs" ADD COLUMN "fault" jsonb;
ALTER TABLE "erp_sync_logs" ADD COLUMN "fault" jsonb;