-- The period of a report ends before the turn that it belongs to, so a late report does not repeat at the next turn.
create or replace function report_period(schedule text, of_zone text, at timestamptz, out zone text, out period_start timestamptz, out period_end timestamptz,
  out next_due timestamptz)
language plpgsql stable
as $$
declare
  unit text := case schedule when 'daily' then 'day' when 'weekly' then 'week' else 'month' end;
  step interval := ('1 ' || unit)::interval;
  -- of the reader's clock
  turn interval := interval '7 hours';
  begun timestamp;
begin
  zone := of_zone;
  begin
    begun := date_trunc(unit, at at time zone zone - turn);
  exception when invalid_parameter_value then
    -- a zone that others know and PostgreSQL does not
    zone := 'UTC';
    begun := date_trunc(unit, at at time zone zone - turn);
  end;
  period_start := (begun - step) at time zone zone;
  period_end := begun at time zone zone;
  next_due := (begun + step + turn) at time zone zone;
end $$;
