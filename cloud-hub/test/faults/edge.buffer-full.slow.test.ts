import { edgeBufferFull } from '../../faults/edge/full.ts'
import { testRow } from './test-row.ts'

testRow(edgeBufferFull)
