import { edgePostgresKill } from '../../faults/edge/kill.ts'
import { testRow } from './test-row.ts'

testRow(edgePostgresKill)
