import { tenantStuck } from '../../faults/hub/tenant-stuck.ts'
import { testRow } from './test-row.ts'

testRow(tenantStuck)
