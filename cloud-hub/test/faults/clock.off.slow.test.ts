import { clockOff } from '../../faults/hub/clock.ts'
import { testRow } from './test-row.ts'

testRow(clockOff)
