import { edgeBrokerAway } from '../../faults/edge/partition.ts'
import { testRow } from './test-row.ts'

testRow(edgeBrokerAway)
