-- Grants what a shared flush may do with a table, and a policy for it.
create or replace procedure grant_ingest(target regclass, privileges text)
language plpgsql
as $$
begin
  execute format('create policy ingest on %s to haltless_ingest using (true) with check (true)', target);
  execute format('grant %s on %s to haltless_ingest', privileges, target);
end $$;
