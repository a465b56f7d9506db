import { hubDeliver } from '../../faults/hub/kill-deliver.ts'
import { testRow } from './test-row.ts'

testRow(hubDeliver)
