-- Row-level security: haltless_app sees the tenant that app.tenant_id names, haltless_system all tenants, haltless_ingest the tables of a flush.
-- A policy is replaced only when it differs, because that locks its table. `own` is PostgreSQL's wording, as migrations/schema.sql shows it.
do $$
declare
  own constant text := '(%I = ( SELECT (NULLIF(current_setting(''app.tenant_id''::text, true), ''''::text))::uuid AS "nullif"))';
  tables_of_tenants constant text[] := array[
    'access_tokens', 'agent_connections', 'agent_dictionaries', 'agent_sources', 'agent_rollout_agents', 'agent_rollouts', 'agents', 'alert_comments', 'alert_history', 'alerts', 'anomaly_events', 'api_keys',
    'audit_log', 'baselines', 'composite_conditions', 'composite_rules', 'data_gaps', 'deliveries',
    'delivery_attempts', 'delivery_windows', 'enrolment_keys', 'escalation_policies', 'escalations', 'idempotent_requests', 'ingest_sources',
    'machine_group_members', 'machine_groups', 'machine_latest', 'machines', 'mails', 'mfa_secrets', 'notification_channels',
    'one_time_tokens', 'reading_arrivals', 'reading_blocks', 'reading_blocks_open', 'reading_hours', 'reading_key_filters', 'reading_key_pages', 'reading_key_tail', 'reading_minutes', 'reading_tail', 'recovery_codes', 'refresh_tokens', 'report_turns', 'roles',
    'threshold_conditions', 'series', 'sessions', 'sso_configs', 'sso_identities', 'sso_logins', 'tag_mappings',
    'tenant_usage', 'tenants', 'threshold_rules', 'users',
    'attachment_deletions', 'attachment_uploads', 'attachments', 'calendar_tokens', 'certificates', 'checklists', 'deleted_resources', 'maintenance_events', 'notes',
    'signoff_chains', 'signoffs', 'work_messages', 'work_order_assignees', 'work_order_comments', 'work_order_history',
    'work_order_instructions', 'work_orders', 'work_reminders',
    'machine_predictions', 'prediction_history', 'prediction_series',
    'downtime_detections', 'downtime_figures', 'downtime_records', 'downtime_rollups', 'machine_oee_days', 'non_production_days', 'oee_changes', 'oee_rollups', 'reason_codes', 'shift_definitions', 'shift_log_oee',
    'shift_log_runs', 'shift_logs', 'shift_oee_days', 'signal_changes',
    'erp_backfills', 'erp_changes', 'erp_connections', 'erp_records', 'erp_runs', 'erp_sync_logs'
  ];
  tables_of_a_flush constant text[] := array[
    'alerts', 'anomaly_events', 'baselines', 'composite_conditions', 'composite_rules', 'deliveries',
    'machine_latest', 'machines', 'notification_channels', 'reading_arrivals', 'reading_blocks', 'reading_blocks_open', 'reading_hours',
    'reading_key_filters', 'reading_key_pages', 'reading_key_tail', 'reading_minutes', 'reading_tail', 'threshold_conditions', 'series', 'tag_mappings', 'tenant_usage', 'tenants',
    'threshold_rules', 'maintenance_events', 'downtime_detections', 'signal_changes'
  ];
  wanted record;
begin
  for wanted in
    select t as target, 'tenant_wall' as name, 'haltless_app' as member,
      format(own, case t when 'tenants' then 'id' else 'tenant_id' end) as expression
    from unnest(tables_of_tenants) t
    union all
    select t, 'all_tenants', 'haltless_system', 'true'
    from unnest(tables_of_tenants) t
    union all
    select t, 'ingest', 'haltless_ingest', 'true'
    from unnest(tables_of_a_flush) t
    order by target, name
  loop
    continue when exists (
      select from pg_policies
      where schemaname = 'public' and tablename = wanted.target and policyname = wanted.name
        and permissive = 'PERMISSIVE' and cmd = 'ALL' and roles = array[wanted.member]::name[]
        and qual = wanted.expression and with_check = wanted.expression
    );
    execute format('drop policy if exists %I on %I', wanted.name, wanted.target);
    execute format('create policy %I on %I to %I using (%s) with check (%4$s)', wanted.name, wanted.target, wanted.member, wanted.expression);
  end loop;
end $$;
