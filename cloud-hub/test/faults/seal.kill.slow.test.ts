import { sealKill } from '../../faults/hub/kill-sealer.ts'
import { testRow } from './test-row.ts'

testRow(sealKill)
