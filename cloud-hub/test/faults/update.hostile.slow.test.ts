import { updateHostile } from '../../faults/edge/update-hostile.ts'
import { testRow } from './test-row.ts'

testRow(updateHostile)
