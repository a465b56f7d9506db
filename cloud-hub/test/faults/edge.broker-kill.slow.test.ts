import { edgeBrokerKill } from '../../faults/edge/kill.ts'
import { testRow } from './test-row.ts'

testRow(edgeBrokerKill)
