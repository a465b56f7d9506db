import { agentsReconnect } from '../../faults/hub/agents-reconnect.ts'
import { testRow } from './test-row.ts'

testRow(agentsReconnect)
