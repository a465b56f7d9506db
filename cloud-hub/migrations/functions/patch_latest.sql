-- Changes some entries of machine_latest.body. `changes` has 41 bytes for each: its index in the row (4), the instant of the first new reading (8),
-- the newest instant that the sender knows if it must match, else the lowest bigint (8), and the new entry without its transaction (21).
-- The transaction fails as stale when the entry belongs to another series, when its newest reading is not older than the first new one, or
-- when an anomaly is open that the sender does not know.
create or replace function patch_latest(body bytea, changes bytea)
returns bytea
language plpgsql
as $$
declare
  own constant bytea := int8send(pg_current_xact_id()::text::bigint);
  width constant integer := 41;
  result bytea := body;
  at integer;
  place integer;
  newest bigint;
  known bigint;
begin
  for i in 0 .. length(changes) / width - 1 loop
    at := i * width;
    place := 2 + 29 * substr(changes, at + 1, 4)::integer;
    newest := substr(result, place + 4, 8)::bigint;
    known := substr(changes, at + 13, 8)::bigint;
    if substr(result, place, 4) <> substr(changes, at + 21, 4) or newest >= substr(changes, at + 5, 8)::bigint
      or (known > -9223372036854775808 and newest <> known) or (known = -9223372036854775808 and get_byte(result, place + 19) = 1) then
      perform raise_stale_cache();
    end if;
    result := overlay(result placing substr(changes, at + 21, 21) || own from place);
  end loop;
  return result;
end $$;

-- The newest instant in machine_latest.body; null without readings.
create or replace function newest_of_latest(body bytea)
returns timestamptz
language sql
immutable
as $$
  select to_timestamp(max(ms) / 1000.0) from (
    select substr(body, 6 + 29 * i, 8)::bigint as ms from generate_series(0, (length(body) - 1) / 29 - 1) i) entries
  where ms > -9223372036854775808
$$;
