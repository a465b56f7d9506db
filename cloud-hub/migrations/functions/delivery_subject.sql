-- Hubs of version 0.1.0 call it; alert_subject replaces it. The next release drops it.
-- The subject of a delivery: the alert for an incident tool; machine, metric and unit for a ticketing tool; null for other channels.
create or replace function delivery_subject(channel_type text, alert_id uuid, machine_id uuid, metric text, unit text)
returns text
language sql stable
as $$
  select case
    when channel_type in ('incident_a', 'incident_b') then alert_id::text
    when channel_type in ('ticketing_a', 'ticketing_b') then 'haltless-' || md5(machine_id || E'\n' || metric || E'\n' || unit)
  end
$$;
