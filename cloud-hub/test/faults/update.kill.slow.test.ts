import { updateKill } from '../../faults/edge/update-kill.ts'
import { testRow } from './test-row.ts'

testRow(updateKill)
