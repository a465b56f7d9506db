import { edgePartition } from '../../faults/edge/partition.ts'
import { testRow } from './test-row.ts'

testRow(edgePartition)
