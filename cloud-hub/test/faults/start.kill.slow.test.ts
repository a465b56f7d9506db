import { startKill } from '../../faults/hub/kill-start.ts'
import { testRow } from './test-row.ts'

testRow(startKill)
