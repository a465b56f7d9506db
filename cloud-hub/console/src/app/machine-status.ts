import type { Schemas } from '../api/client.ts'
import { MACHINE_STATUS } from '../api/enums.ts'

const RANK: Record<Schemas['Machine']['status'], number> = { critical: 0, warning: 1, offline: 2, healthy: 3 }

/** The worst first, as lists show them. */
export const MACHINE_STATUSES = MACHINE_STATUS.toSorted((a, b) => RANK[a] - RANK[b])
