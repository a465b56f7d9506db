import type { Sql } from './pools.ts'

/**
 * Analyzes tables that have more than doubled since their last ANALYZE. After an import of thousands of
 * machines, flushes would otherwise run with plans for an empty table until autovacuum.
 * @returns the names of the analyzed tables
 */
export const refreshStatistics = async (allTenants: Sql): Promise<string[]> =>
  (await allTenants<{ name: string }[]>`select name from refresh_statistics() name`).map(({ name }) => name)
