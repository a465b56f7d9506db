import { postgresKill } from '../../faults/hub/kill-postgres.ts'
import { testRow } from './test-row.ts'

testRow(postgresKill)
