import { edgeProxy } from '../../faults/edge/proxy.ts'
import { testRow } from './test-row.ts'

testRow(edgeProxy)
