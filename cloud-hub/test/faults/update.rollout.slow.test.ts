import { updateRollout } from '../../faults/edge/update-rollout.ts'
import { testRow } from './test-row.ts'

testRow(updateRollout)
