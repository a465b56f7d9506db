import { edgeHostileDevice } from '../../faults/edge/hostile-device.ts'
import { testRow } from './test-row.ts'

testRow(edgeHostileDevice)
