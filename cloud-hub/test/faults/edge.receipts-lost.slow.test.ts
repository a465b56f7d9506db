import { edgeReceiptsLost } from '../../faults/edge/deliver.ts'
import { testRow } from './test-row.ts'

testRow(edgeReceiptsLost)
