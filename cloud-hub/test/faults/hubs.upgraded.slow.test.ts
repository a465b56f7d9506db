import { hubsUpgraded } from '../../faults/hub/balanced-hubs.ts'
import { testRow } from './test-row.ts'

testRow(hubsUpgraded)
