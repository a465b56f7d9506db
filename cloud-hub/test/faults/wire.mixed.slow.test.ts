import { wireMixed } from '../../faults/edge/wire-mixed.ts'
import { testRow } from './test-row.ts'

testRow(wireMixed)
