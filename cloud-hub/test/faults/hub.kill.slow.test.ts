import { hubKill } from '../../faults/hub/kill-hub.ts'
import { testRow } from './test-row.ts'

testRow(hubKill)
