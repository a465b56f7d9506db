import { brokerKill } from './hub/kill-broker.ts'
import { hubKill } from './hub/kill-hub.ts'
import { postgresKill } from './hub/kill-postgres.ts'
import { replicaKill } from './hub/kill-replica.ts'
import type { FaultRow } from './row.ts'

/** Every row, in the order in which they run. */
export const allRows: readonly FaultRow[] = [hubKill, postgresKill, brokerKill, replicaKill]
