import { edgePowerLoss } from '../../faults/edge/power-loss.ts'
import { testRow } from './test-row.ts'

testRow(edgePowerLoss)
