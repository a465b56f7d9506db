import { edgeBufferDamaged } from '../../faults/edge/damaged.ts'
import { testRow } from './test-row.ts'

testRow(edgeBufferDamaged)
