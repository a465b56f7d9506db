-- Marks a user whose reports are due at other times from now on. The job of reports computes the next time.
create or replace function note_report_change()
returns trigger
language plpgsql
as $$
begin
  new.is_report_stale := true;
  return new;
end $$;
create or replace trigger note_report_of_new_user
  before insert on users
  for each row
  when (new.report_schedule is not null)
  execute function note_report_change();
create or replace trigger note_report_change
  before update of report_schedule, timezone, is_active on users
  for each row
  when ((old.report_schedule is not null or new.report_schedule is not null)
    and (old.report_schedule, old.timezone, old.is_active) is distinct from (new.report_schedule, new.timezone, new.is_active))
  execute function note_report_change();
