-- The reason codes that every tenant starts with. The OEE loss categories follow ISO 22400-2: planned stops without production are not scheduled.
create or replace function add_default_reason_codes(tenant uuid)
returns void
language plpgsql
security definer
set search_path = public, pg_temp
as $$
declare
  actor constant text := current_setting('app.actor', true);
begin
  -- Defaults are no change by a person. A SET clause of the function would need a superuser.
  perform set_config('app.actor', '', true);
  with defaults (place, code, label, category, loss) as (values
    (10, 'planned', 'Planned stops', 'planned', 'not_scheduled'),
    (11, 'planned.no_orders', 'No production scheduled', 'planned', 'not_scheduled'),
    (12, 'planned.break', 'Break', 'planned', 'not_scheduled'),
    (13, 'planned.meeting', 'Meeting or training', 'planned', 'not_scheduled'),
    (20, 'maintenance', 'Maintenance', 'maintenance', 'availability_loss'),
    (21, 'maintenance.preventive', 'Preventive maintenance', 'maintenance', 'not_scheduled'),
    (22, 'maintenance.corrective', 'Corrective maintenance', 'maintenance', 'availability_loss'),
    (23, 'maintenance.cleaning', 'Cleaning', 'maintenance', 'availability_loss'),
    (30, 'changeover', 'Changeover', 'changeover', 'availability_loss'),
    (31, 'changeover.setup', 'Set-up and adjustment', 'changeover', 'availability_loss'),
    (32, 'changeover.tool', 'Tool change', 'changeover', 'availability_loss'),
    (33, 'changeover.material', 'Material change', 'changeover', 'availability_loss'),
    (40, 'breakdown', 'Breakdown', 'unplanned', 'availability_loss'),
    (41, 'breakdown.mechanical', 'Mechanical failure', 'unplanned', 'availability_loss'),
    (42, 'breakdown.electrical', 'Electrical failure', 'unplanned', 'availability_loss'),
    (43, 'breakdown.control', 'Control system failure', 'unplanned', 'availability_loss'),
    (44, 'breakdown.tool', 'Tool breakage', 'unplanned', 'availability_loss'),
    (50, 'waiting', 'Waiting', 'unplanned', 'availability_loss'),
    (51, 'waiting.material', 'No material', 'unplanned', 'availability_loss'),
    (52, 'waiting.operator', 'No operator', 'unplanned', 'availability_loss'),
    (53, 'waiting.blocked', 'Blocked downstream', 'unplanned', 'availability_loss'),
    (54, 'waiting.utilities', 'No power, air or water', 'unplanned', 'availability_loss'),
    (60, 'performance', 'Performance losses', 'unplanned', 'performance_loss'),
    (61, 'performance.minor_stop', 'Minor stop', 'unplanned', 'performance_loss'),
    (62, 'performance.reduced_speed', 'Reduced speed', 'unplanned', 'performance_loss'),
    (70, 'quality', 'Quality losses', 'unplanned', 'quality_loss'),
    (71, 'quality.rework', 'Rework', 'unplanned', 'quality_loss'),
    (72, 'quality.startup_rejects', 'Start-up rejects', 'unplanned', 'quality_loss')
  ), identified as (
    select *, uuidv7() as id from defaults
  )
  insert into reason_codes (tenant_id, id, code, label, category, oee_loss_category, parent_id, sort_order)
  select tenant, own.id, own.code, own.label, own.category, own.loss, parent.id, own.place
  from identified own left join identified parent on own.code like parent.code || '.%'
  on conflict do nothing;
  perform set_config('app.actor', coalesce(actor, ''), true);
end $$;
revoke all on function add_default_reason_codes(uuid) from public;
create or replace function make_reason_codes()
returns trigger
language plpgsql
security definer
set search_path = public, pg_temp
as $$
begin
  perform add_default_reason_codes(new.id);
  return null;
end $$;
revoke all on function make_reason_codes() from public;
create or replace trigger make_reason_codes
  after insert on tenants
  for each row
  execute function make_reason_codes();
-- Tenants from before the reason codes.
select add_default_reason_codes(t.id) from tenants t where not exists (select from reason_codes r where r.tenant_id = t.id);
