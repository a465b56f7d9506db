import { edgePlcHang } from '../../faults/edge/plc-hang.ts'
import { testRow } from './test-row.ts'

testRow(edgePlcHang)
