-- Functions that run as the owner fire from their triggers only: a login could otherwise fire them with rows of its own making, from a
-- temporary table.
revoke all on function change_facts(), change_facts_of_machine(), change_mapping_facts(), make_builtin_roles(), source_changed(),
  sources_of_machine_changed() from public;
