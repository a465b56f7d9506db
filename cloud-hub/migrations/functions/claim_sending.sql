-- Claims one sending of at most `per_day` in 24 hours, and at least `gap` after the last one.
-- Returns when the next one may go; null when this one is claimed.
-- A login of haltless_app claims only for the tenant of its transaction, or for an address while it has one.
create or replace function claim_sending(of_subject text, at timestamptz, per_day integer, gap interval)
returns timestamptz
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  recent timestamptz[];
  n integer;
begin
  if not serves_tenant(case split_part(of_subject, ':', 1)
    when 'address' then nullif(current_setting('app.tenant_id', true), '')::uuid else split_part(of_subject, ':', 2)::uuid end)
  then
    raise exception 'a quota of another tenant';
  end if;
  insert into sending_quotas (subject, sent, updated_at) values (of_subject, '{}', at) on conflict do nothing;
  select array(select s from unnest(sent) s where s > at - interval '1 day' order by s) into recent
  from sending_quotas where subject = of_subject for update;
  n := cardinality(recent);
  if n >= per_day then return recent[n - per_day + 1] + interval '1 day'; end if;
  if n > 0 and recent[n] > at - gap then return recent[n] + gap; end if;
  update sending_quotas set sent = recent || at, updated_at = at where subject = of_subject;
  return null;
end $$;
revoke all on function claim_sending(text, timestamptz, integer, interval) from public;
grant execute on function claim_sending(text, timestamptz, integer, interval) to haltless_app, haltless_system;
