import { receiptsLost } from '../../faults/hub/deliver-twice.ts'
import { testRow } from './test-row.ts'

testRow(receiptsLost)
