import { flushOrder } from '../../faults/hub/flush-order.ts'
import { testRow } from './test-row.ts'

testRow(flushOrder)
