import { replicaFrozen } from '../../faults/hub/freeze-replica.ts'
import { testRow } from './test-row.ts'

testRow(replicaFrozen)
