-- What node ids with a namespace index mean: the namespaces of the first session, with the endpoint that they are of.

ALTER TABLE "ingest_sources" ADD COLUMN "namespaces" jsonb;