import { replicaKill } from '../../faults/hub/kill-replica.ts'
import { testRow } from './test-row.ts'

testRow(replicaKill)
