create or replace function memory_is_out_of_date()
returns void
language plpgsql
as $$
begin
  raise exception 'what this process remembers is out of date' using errcode = 'HL001';
end $$;
