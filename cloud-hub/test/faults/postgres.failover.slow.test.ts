import { postgresFailover } from '../../faults/hub/postgres-failover.ts'
import { testRow } from './test-row.ts'

testRow(postgresFailover)
