import type { Sql } from '../pools.ts'
import { SEGMENT_NAME } from './lsn.ts'

/** What PostgreSQL says of its archiving. */
export interface ArchiverState {
  isOn: boolean
  /** 0: only full segments are archived */
  timeoutSeconds: number
  systemId: string
  /** that is written now */
  timeline: number
  /** the last attempt failed, for this file; null: it did not */
  failing: { file: string; since: Date } | null
  lastArchivedAt: Date | null
  /** complete segments that are not archived yet */
  waiting: number
}

/** Source: PostgreSQL, 27.2.13 (pg_stat_archiver) */
export async function readArchiverState(sql: Sql): Promise<ArchiverState> {
  const [row] = await sql<
    [
      {
        mode: string
        timeout: number
        systemId: string
        timeline: string
        lastArchived: string | null
        lastArchivedAt: Date | null
        failed: string | null
        failedAt: Date | null
        segmentBytes: number
        position: number
      },
    ]
  >`
    select current_setting('archive_mode') as mode,
      (select setting::int from pg_settings where name = 'archive_timeout') as timeout,
      (select system_identifier::text from pg_control_system()) as "systemId",
      substring(pg_walfile_name(pg_current_wal_lsn()), 1, 8) as timeline,
      last_archived_wal as "lastArchived", last_archived_time as "lastArchivedAt",
      case when last_failed_time > coalesce(last_archived_time, '-infinity') then last_failed_wal end as failed,
      last_failed_time as "failedAt",
      (select setting::int from pg_settings where name = 'wal_segment_size') as "segmentBytes",
      pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 as position
    from pg_stat_archiver`
  const last = row.lastArchived?.slice(0, 24) ?? ''
  const perHigh = 0x1_0000_0000 / row.segmentBytes
  const lastNumber = Number.parseInt(last.slice(8, 16), 16) * perHigh + Number.parseInt(last.slice(16), 16)
  const current = Math.floor(row.position / row.segmentBytes)
  return {
    isOn: row.mode !== 'off',
    timeoutSeconds: row.timeout,
    systemId: row.systemId,
    timeline: Number.parseInt(row.timeline, 16),
    failing: row.failed && row.failedAt ? { file: row.failed, since: row.failedAt } : null,
    lastArchivedAt: row.lastArchivedAt,
    waiting: SEGMENT_NAME.test(last) ? Math.max(0, current - lastNumber - 1) : 0,
  }
}
