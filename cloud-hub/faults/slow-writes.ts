import type postgres from 'postgres'
import { FLUSHED_TABLE } from '../test/support/stored-readings.ts'

type SlowTable = 'alerts' | 'readings' | 'attachments' | 'signoffs' | 'maintenance_events'

/**
 * Delays each statement that inserts into a table, and so its transaction. A kill then meets work that was announced before its
 * commit, a window of milliseconds otherwise.
 * @param owner the owner's connection
 */
export async function slowWrites(owner: postgres.Sql, table: SlowTable, seconds: number): Promise<void> {
  await owner.unsafe(`
    create or replace function slow_write() returns trigger language plpgsql as $$ begin perform pg_sleep(${seconds}); return null; end $$;
    create trigger slow_write before insert on ${table === 'readings' ? FLUSHED_TABLE : table} for each statement execute function slow_write()`)
}
