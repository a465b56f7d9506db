import type { Sql } from 'postgres'

/** Keeps the other sums of OEE where a generator has inserted `machine_oee_days` without their logs: as of one shift a day. */
export async function sumOeeDays(sql: Sql, tenantId: string, shiftDefinitionId: string): Promise<void> {
  await sql`
    insert into shift_oee_days (tenant_id, shift_date, shift_definition_id, log_count, downtime_ms, oee_count, planned_ms, oee_sum_ppb,
      availability_sum_ppb, performance_count, performance_sum_ppb, quality_count, quality_sum_ppb, run_ms, net_ms, counted_ms, good_ms, parts, good_parts)
    select tenant_id, shift_date, ${shiftDefinitionId}, sum(oee_count), 0, sum(oee_count), sum(planned_ms), sum(oee_sum_ppb), 0, 0, 0, 0, 0,
      sum(run_ms), sum(net_ms), sum(counted_ms), sum(good_ms), sum(parts), sum(good_parts)
    from machine_oee_days where tenant_id = ${tenantId} group by 1, 2 order by 2`
  await sql`
    insert into oee_rollups (tenant_id, days, start_date, machine_id, planned_ms, run_ms, net_ms, counted_ms, good_ms, parts, good_parts)
    select tenant_id, days, date_bin(days * interval '24 h', shift_date::timestamp, timestamp '1970-01-05')::date, machine_id, sum(planned_ms),
      sum(run_ms), sum(net_ms), sum(counted_ms), sum(good_ms), sum(parts), sum(good_parts)
    from machine_oee_days cross join (values (7), (28)) length(days)
    where tenant_id = ${tenantId} group by 1, 2, 3, 4 order by 2, 3, 4`
}
