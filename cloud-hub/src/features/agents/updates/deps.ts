import type { Pools } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'

export interface UpdateDeps {
  pools: Pools
  clock: Clock
}
