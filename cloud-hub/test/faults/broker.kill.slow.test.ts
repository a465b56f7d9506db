import { brokerKill } from '../../faults/hub/kill-broker.ts'
import { testRow } from './test-row.ts'

testRow(brokerKill)
