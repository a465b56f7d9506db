import { edgeRefused } from '../../faults/edge/refused.ts'
import { testRow } from './test-row.ts'

testRow(edgeRefused)
