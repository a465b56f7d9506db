import { edgeDiskFull } from '../../faults/edge/full.ts'
import { testRow } from './test-row.ts'

testRow(edgeDiskFull)
