import { tablesFull } from '../../faults/hub/disk-full.ts'
import { testRow } from './test-row.ts'

testRow(tablesFull)
