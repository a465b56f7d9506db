-- Queues the file of a deleted attachment for deletion, whichever statement or cascade deleted its row. A worker deletes it after the commit.
create or replace function queue_file_deletion()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  insert into attachment_deletions (tenant_id, storage_key) values (old.tenant_id, old.storage_key) on conflict do nothing;
  return null;
end $$;
revoke all on function queue_file_deletion() from public;
create or replace trigger queue_file_deletion
  after delete on attachments
  for each row
  execute function queue_file_deletion();
