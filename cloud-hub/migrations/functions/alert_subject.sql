-- The subject of a delivery to a channel of this kind: the alert, or the machine, metric and unit that raised it; null without a kind.
create or replace function alert_subject(kind text, alert_id uuid, machine_id uuid, metric text, unit text)
returns text
language sql stable
as $$
  select case kind
    when 'alert' then alert_id::text
    when 'series' then 'haltless-' || md5(machine_id || E'\n' || metric || E'\n' || unit)
  end
$$;
