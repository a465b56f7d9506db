import type { Sql } from './pools.ts'

/**
 * Has the planner look at tables that have more than doubled since it last did (migration 0013): after an import of thousands of machines a flush would
 * otherwise be planned for an empty table, until autovacuum comes by. Costs nothing where nothing has grown.
 * @returns their names
 */
export const refreshStatistics = async (allTenants: Sql): Promise<string[]> =>
  (await allTenants<{ name: string }[]>`select name from refresh_statistics() name`).map(({ name }) => name)
