import { upgradeRolling } from '../../faults/hub/upgrade-rolling.ts'
import { testRow } from './test-row.ts'

testRow(upgradeRolling)
