import { brokerBurst } from '../../faults/hub/broker-burst.ts'
import { testRow } from './test-row.ts'

testRow(brokerBurst)
