import { edgeDropPolicies } from '../../faults/edge/full.ts'
import { testRow } from './test-row.ts'

testRow(edgeDropPolicies)
