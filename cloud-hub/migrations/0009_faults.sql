-- Faults with codes beside the sentences of agents and polling sources. A hub of the previous version leaves the columns as they are, so a fault counts only while its text is the stored sentence.
-- functions: 205d36223973c6f22bc81743ed833a3ef3d92e94b7431843c57a9d160b066f56

ALTER TABLE "agents" ADD COLUMN "collector_faults" jsonb DEFAULT '{}'::jsonb NOT NULL;
ALTER TABLE "agent_sources" ADD COLUMN "revision_fault" jsonb;
ALTER TABLE "ingest_sources" ADD COLUMN "last_fault" jsonb;