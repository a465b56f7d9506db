import { edgeBatchesDoubled } from '../../faults/edge/deliver.ts'
import { testRow } from './test-row.ts'

testRow(edgeBatchesDoubled)
