import { sealBehind } from '../../faults/hub/sealer-behind.ts'
import { testRow } from './test-row.ts'

testRow(sealBehind)
