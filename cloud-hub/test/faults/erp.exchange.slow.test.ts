import { erpExchange } from '../../faults/hub/erp-exchange.ts'
import { testRow } from './test-row.ts'

testRow(erpExchange)
