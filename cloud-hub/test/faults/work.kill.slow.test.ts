import { workKill } from '../../faults/hub/kill-work.ts'
import { testRow } from './test-row.ts'

testRow(workKill)
