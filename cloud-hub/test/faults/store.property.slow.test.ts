import { storeProperty } from '../../faults/hub/store-property.ts'
import { testRow } from './test-row.ts'

testRow(storeProperty)
