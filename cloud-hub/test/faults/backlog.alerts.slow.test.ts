import { backlogAlerts } from '../../faults/hub/backlog.ts'
import { testRow } from './test-row.ts'

testRow(backlogAlerts)
