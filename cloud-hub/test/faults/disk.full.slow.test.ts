import { diskFull } from '../../faults/hub/disk-full.ts'
import { testRow } from './test-row.ts'

testRow(diskFull)
