create or replace procedure build_audit(target regclass, kind text, secrets text default '', ignored text default '')
language plpgsql
as $$
begin
  execute format('create trigger note_change after insert or update or delete on %s for each row '
    'when (current_setting(''app.actor'', true) <> '''') execute function note_change(%L, %L, %L)', target, kind, secrets, ignored);
end $$;
