import { edgeClockOff } from '../../faults/edge/clock.ts'
import { testRow } from './test-row.ts'

testRow(edgeClockOff)
