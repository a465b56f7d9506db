create or replace function audit_view(whole jsonb, keys text[], secrets text[])
returns jsonb
language sql immutable
as $$
  select case when whole is null then null else (
    select jsonb_object_agg(key, case when key = any (secrets) and whole -> key <> 'null' then '"***"' else whole -> key end)
    from unnest(keys) key) end
$$;
