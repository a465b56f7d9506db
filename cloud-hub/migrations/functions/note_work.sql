-- Writes the history of a work order: its own changes, those of its assignees, instructions and attachments, and its sign-offs. app.actor names
-- the actor. Argument of the trigger: what the table holds. A work order that is deleted loses its history, so its parts note nothing.
create or replace function note_work()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  kind constant text := TG_ARGV[0];
  shown constant text[] := array['title', 'description', 'status', 'priority', 'assigned_to', 'due_date', 'completed_at', 'completion_notes',
    'step_order', 'body', 'attachment_id', 'completed_by'];
  acting jsonb := nullif(current_setting('app.actor', true), '')::jsonb;
  actor jsonb := case when acting is not null then jsonb_build_object('kind', acting -> 'kind', 'id', acting -> 'id', 'name', acting -> 'name') end;
  old_row jsonb := case when TG_OP <> 'INSERT' then to_jsonb(old) end;
  new_row jsonb := case when TG_OP <> 'DELETE' then to_jsonb(new) end;
  whole jsonb := coalesce(new_row, old_row);
  changes jsonb := case when TG_OP = 'UPDATE' then (
    select jsonb_object_agg(field, jsonb_build_object('from', old_row -> field, 'to', new_row -> field))
    from unnest(shown) field where old_row -> field is distinct from new_row -> field) end;
  subject_id uuid := case when kind <> 'work_order' then coalesce(whole ->> 'user_id', whole ->> 'id')::uuid end;
  subject_name text := case kind
    when 'assignee' then (select full_name from users u where u.tenant_id = (whole ->> 'tenant_id')::uuid and u.id = (whole ->> 'user_id')::uuid)
    when 'work_order' then null
    else coalesce(whole ->> 'title', whole ->> 'filename', whole ->> 'signer_name') end;
  event text := case
    when kind = 'signoff' then 'signed'
    when kind = 'work_order' then case TG_OP when 'INSERT' then 'created' else 'updated' end
    when kind = 'instruction' and TG_OP = 'UPDATE' and changes ? 'completed_at'
      then case when new_row ->> 'completed_at' is null then 'instruction_reopened' else 'instruction_completed' end
    else kind || case TG_OP when 'INSERT' then '_added' when 'UPDATE' then '_updated' else '_removed' end end;
begin
  if TG_OP = 'UPDATE' and changes is null then return null; end if;
  insert into work_order_history (tenant_id, work_order_id, at, actor, event, subject_id, subject_name, changes)
  select o.tenant_id, o.id, clock_timestamp(), actor, event, subject_id, subject_name, changes
  from work_orders o
  where o.tenant_id = (whole ->> 'tenant_id')::uuid
    and o.id = coalesce(whole ->> 'work_order_id', case when kind = 'work_order' then whole ->> 'id' end)::uuid;
  return null;
end $$;
revoke all on function note_work() from public;
create or replace trigger note_work
  after insert or delete on attachments
  for each row
  execute function note_work('attachment');
create or replace trigger note_work
  after insert on signoffs
  for each row
  execute function note_work('signoff');
create or replace trigger note_work
  after insert or delete on work_order_assignees
  for each row
  execute function note_work('assignee');
create or replace trigger note_work
  after insert or update or delete on work_order_instructions
  for each row
  execute function note_work('instruction');
create or replace trigger note_work
  after insert or update on work_orders
  for each row
  execute function note_work('work_order');
