import { postgresStopped } from '../../faults/hub/stop-postgres.ts'
import { testRow } from './test-row.ts'

testRow(postgresStopped)
