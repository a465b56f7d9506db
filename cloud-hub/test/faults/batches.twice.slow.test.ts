import { batchesTwice } from '../../faults/hub/deliver-twice.ts'
import { testRow } from './test-row.ts'

testRow(batchesTwice)
