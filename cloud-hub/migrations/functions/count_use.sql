-- Counts what a tenant has of each kind that tenants.limits limits, in tenant_usage, whichever statement or cascade changes it.
-- Arguments of the trigger: the kind, what a row counts.
create or replace function count_use()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  -- By tenant, so that two statements about several tenants lock their rows in one order. A tenant that is being deleted has no row to count in.
  execute format(
    'insert into tenant_usage as u (tenant_id, kind, used) '
    'select c.tenant_id, %1$L, %2$s * sum(%3$s) from changed c join tenants t on t.id = c.tenant_id '
    'group by 1 having sum(%3$s) <> 0 order by 1 '
    'on conflict (tenant_id, kind) do update set used = u.used + excluded.used',
    TG_ARGV[0], case TG_OP when 'DELETE' then -1 else 1 end, TG_ARGV[1]);
  return null;
end $$;
revoke all on function count_use() from public;
-- The same for a row that is deactivated or activated again.
create or replace function count_activation()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  insert into tenant_usage as u (tenant_id, kind, used) values (new.tenant_id, TG_ARGV[0], case when new.is_active then 1 else -1 end)
  on conflict (tenant_id, kind) do update set used = u.used + excluded.used;
  return null;
end $$;
revoke all on function count_activation() from public;
-- Triggers for statements: a first contact inserts 100,000 series, and one row of tenant_usage must not change as often.
do $$
declare
  counted record;
begin
  for counted in
    select * from (values
      ('machines', 'machines', 'is_active::int'),
      ('series', 'series', '1'),
      ('rules', 'threshold_rules', '1'),
      ('rules', 'composite_rules', '1'),
      ('channels', 'notification_channels', '(channel_type <> ''push'')::int'),
      ('users', 'users', 'is_active::int'),
      ('tokens', 'access_tokens', 'is_active::int'),
      ('attachment_bytes', 'attachments', 'size_bytes'),
      ('attachment_bytes', 'attachment_uploads', 'size_bytes'),
      ('idempotency_keys', 'idempotent_requests', '1')
    ) v(kind, target, amount)
  loop
    execute format('create or replace trigger count_use_of_new after insert on %I referencing new table as changed '
      'for each statement execute function count_use(%L, %L)', counted.target, counted.kind, counted.amount);
    execute format('create or replace trigger count_use_of_deleted after delete on %I referencing old table as changed '
      'for each statement execute function count_use(%L, %L)', counted.target, counted.kind, counted.amount);
    if counted.amount = 'is_active::int' then
      execute format('create or replace trigger count_activation after update of is_active on %I '
        'for each row when (old.is_active <> new.is_active) execute function count_activation(%L)', counted.target, counted.kind);
    end if;
  end loop;
end $$;
