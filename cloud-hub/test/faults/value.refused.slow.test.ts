import { valueRefused } from '../../faults/hub/refused-values.ts'
import { testRow } from './test-row.ts'

testRow(valueRefused)
