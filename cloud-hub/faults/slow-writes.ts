import type postgres from 'postgres'

/**
 * From now on each statement that inserts into a table takes so much longer, and with it the transaction that it is part of. A kill then meets
 * what was announced before its commit, which otherwise is a matter of a few milliseconds.
 * @param owner the owner's connection
 */
export async function slowWrites(owner: postgres.Sql, table: 'alerts' | 'readings', seconds: number): Promise<void> {
  await owner.unsafe(`
    create function slow_write() returns trigger language plpgsql as $$ begin perform pg_sleep(${seconds}); return null; end $$;
    create trigger slow_write before insert on ${table} for each statement execute function slow_write()`)
}
