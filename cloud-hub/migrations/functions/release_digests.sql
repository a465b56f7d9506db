-- Releases deliveries to human-facing channels: `at_once` of each channel, and later ones within `span` as one message at its end.
-- While more arrive, one message goes for each span. The channel's row is locked, so any replica may run this. Returns how many are released.
-- Replicas ask in any order and their clocks differ, so an `at` may be older than the one before. Only what waits for more than two spans was
-- stored while a clock was ahead: that is due at once.
create or replace function release_digests(at timestamptz, at_once integer, span interval)
returns integer
language plpgsql
as $$
declare
  c record;
  w delivery_windows;
  lead uuid;
  n integer;
  freed integer := 0;
begin
  update deliveries set due_at = at where status = 'pending_digest' and due_at > at + 2 * span;
  for c in select distinct tenant_id, channel_id from deliveries where status = 'pending_digest' and due_at <= at order by 1, 2 limit 500 loop
    insert into delivery_windows values (c.tenant_id, c.channel_id, '-infinity', 0) on conflict do nothing;
    select * into w from delivery_windows where tenant_id = c.tenant_id and channel_id = c.channel_id for update skip locked;
    continue when not found;
    if w.until > at + 2 * span then
      w.until := at;
      w.sent := at_once;
    end if;
    -- held back, unlike what has just come
    select id into lead from deliveries
    where tenant_id = c.tenant_id and channel_id = c.channel_id and status = 'pending_digest' and due_at <= at and due_at > created_at
    order by created_at, id limit 1;
    if found and w.until <= at then
      update deliveries set status = case when id = lead then 'waiting' else 'in_digest' end, lead_id = nullif(lead, id)
      where tenant_id = c.tenant_id and channel_id = c.channel_id and status = 'pending_digest' and due_at <= at;
      get diagnostics n = row_count;
      update deliveries set group_size = n where tenant_id = c.tenant_id and id = lead;
      w.until := at + span;
      w.sent := at_once;
      freed := freed + 1;
    else
      if w.until <= at then
        w.until := at + span;
        w.sent := 0;
      end if;
      update deliveries set status = 'waiting' where tenant_id = c.tenant_id and id in (
        select id from deliveries where tenant_id = c.tenant_id and channel_id = c.channel_id and status = 'pending_digest' and due_at <= at
        order by created_at, id limit greatest(0, at_once - w.sent));
      get diagnostics n = row_count;
      w.sent := w.sent + n;
      freed := freed + n;
      update deliveries set due_at = w.until where tenant_id = c.tenant_id and channel_id = c.channel_id and status = 'pending_digest' and due_at <= at;
    end if;
    update delivery_windows set until = w.until, sent = w.sent where tenant_id = c.tenant_id and channel_id = c.channel_id;
  end loop;
  return freed;
end $$;
