-- Writes the audit trail. app.actor names the actor: {kind, id, name, ip, request_id}. Changes without an actor (ingest, sweeps) are not recorded.
-- Arguments of the trigger: the type of the row, columns whose values are secret, columns that are not recorded.
create or replace function note_change()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  actor jsonb := current_setting('app.actor', true)::jsonb;
  secrets text[] := string_to_array(TG_ARGV[1], ',');
  ignored text[] := string_to_array(TG_ARGV[2], ',');
  old_row jsonb := case when TG_OP <> 'INSERT' then to_jsonb(old) end;
  new_row jsonb := case when TG_OP <> 'DELETE' then to_jsonb(new) end;
  whole jsonb := coalesce(new_row, old_row);
  changed text[];
begin
  -- a status that was judged, not set by a person
  if TG_TABLE_NAME = 'machines' and not (whole ->> 'status_is_manual')::boolean then ignored := array_append(ignored, 'status'); end if;
  changed := array(select key from jsonb_object_keys(whole) key
    where key <> all (ignored) and (TG_OP <> 'UPDATE' or old_row -> key is distinct from new_row -> key));
  if cardinality(changed) = 0 then return null; end if;
  insert into audit_log (tenant_id, at, actor_kind, actor_id, actor_name, ip, request_id, action, target_type, target_id, target_name, before, after)
  values (
    coalesce(whole ->> 'tenant_id', whole ->> 'id')::uuid, clock_timestamp(),
    actor ->> 'kind', actor ->> 'id', actor ->> 'name', actor ->> 'ip', actor ->> 'request_id',
    TG_ARGV[0] || case TG_OP when 'INSERT' then '.created' when 'UPDATE' then '.updated' else '.deleted' end,
    TG_ARGV[0], coalesce(whole ->> 'id', whole ->> 'key', whole ->> 'group_id', whole ->> 'work_order_id', whole ->> 'machine_id', whole ->> 'tenant_id'),
    coalesce(whole ->> 'email', whole ->> 'name', whole ->> 'title', whole ->> 'filename', whole ->> 'label', whole ->> 'code', whole ->> 'message',
      whole ->> 'provider_name', whole ->> 'metric_name'),
    audit_view(old_row, changed, secrets), audit_view(new_row, changed, secrets));
  return null;
end $$;
revoke all on function note_change() from public;
create or replace trigger note_change
  after insert or update or delete on access_tokens
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('access_token', 'token_hash', 'last_used_at,warnings');
create or replace trigger note_change
  after insert or update or delete on alert_comments
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('alert_comment', '', 'updated_at');
create or replace trigger note_change
  after insert or update or delete on alerts
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('alert', '', 'escalation_due_at');
create or replace trigger note_change
  after insert or update or delete on api_keys
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('api_key', 'key_hash', 'last_used_at');
create or replace trigger note_change
  after insert or update or delete on attachments
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('attachment', '', 'updated_at,storage_key');
create or replace trigger note_change
  after insert or update or delete on calendar_tokens
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('calendar_token', 'token_hash', 'last_used_at');
create or replace trigger note_change
  after insert or update or delete on checklists
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('checklist', '', 'updated_at');
create or replace trigger note_change
  after insert or update or delete on composite_rules
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('composite_rule', '', 'updated_at,metrics');
create or replace trigger note_change
  after insert or update or delete on downtime_records
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('downtime', '', 'updated_at');
create or replace trigger note_change
  after insert or update or delete on enrolment_keys
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('enrolment_key', 'key_hash', '');
create or replace trigger note_change
  after insert or update or delete on erp_connections
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('erp_connection', 'sealed_config', 'updated_at,next_run_at,failures_in_a_row,breaker_open_until,last_sync_at,last_sync_status,paused_at');
create or replace trigger note_change
  after insert or update or delete on escalation_policies
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('escalation_policy', '', 'updated_at');
create or replace trigger note_change
  after insert or update or delete on ingest_sources
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('ingest_source', 'sealed_secrets', 'updated_at,version,tag_count,agent_id,last_polled_at,last_error,last_fault,leased_by,leased_until');
create or replace trigger note_change
  after insert or update or delete on machine_group_members
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('machine_group_member', '', '');
create or replace trigger note_change
  after insert or update or delete on machine_groups
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('machine_group', '', 'updated_at');
create or replace trigger note_change
  after insert or update or delete on machines
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('machine', '', 'updated_at,offline_due_at,analysis_due_at,status_is_manual');
create or replace trigger note_change
  after insert or update or delete on maintenance_events
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('maintenance_event', '', 'updated_at,time_zone,next_occurrence,next_occurrence_at,occurrence,is_edited,sequence');
create or replace trigger note_change
  after insert or update or delete on notes
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('note', '', 'updated_at');
create or replace trigger note_change
  after insert or update or delete on notification_channels
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('notification_channel', 'sealed_config', 'updated_at,audience,follows_alert,subject_kind');
create or replace trigger note_change
  after insert or update or delete on downtime_detections
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('downtime_detection', '', 'updated_at,next_check_at,active_since');
create or replace trigger note_change
  after insert or update or delete on reason_codes
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('reason_code', '', 'updated_at');
create or replace trigger note_change
  after insert or update or delete on roles
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('role', '', '');
create or replace trigger note_change
  after insert or update or delete on non_production_days
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('non_production_day', '', '');
create or replace trigger note_change
  after insert or update or delete on shift_definitions
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('shift_definition', '', 'updated_at');
create or replace trigger note_change
  after insert or update or delete on shift_logs
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('shift_log', '', 'updated_at');
create or replace trigger note_change
  after insert or update or delete on signoffs
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('signoff', '', 'names,payload');
create or replace trigger note_change
  after insert or update or delete on sso_configs
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('sso_config', 'sealed_client_secret', 'updated_at');
create or replace trigger note_change
  after insert or update or delete on tag_mappings
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('tag_mapping', '', 'updated_at');
create or replace trigger note_change
  after insert or update or delete on tenants
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('tenant', '', 'facts_version,has_tag_mappings,shift_logs_due_at');
create or replace trigger note_change
  after insert or update or delete on threshold_rules
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('alert_rule', '', 'updated_at');
create or replace trigger note_change
  after insert or update or delete on users
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('user', 'password_hash', 'last_login_at,is_report_stale');
create or replace trigger note_change
  after insert or update or delete on work_order_assignees
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('work_order_assignee', '', 'position');
create or replace trigger note_change
  after insert or update or delete on work_order_comments
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('work_order_comment', '', 'updated_at');
create or replace trigger note_change
  after insert or update or delete on work_order_instructions
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('work_order_instruction', '', 'updated_at');
create or replace trigger note_change
  after insert or update or delete on work_orders
  for each row
  when (current_setting('app.actor', true) <> '')
  execute function note_change('work_order', '', 'updated_at');
