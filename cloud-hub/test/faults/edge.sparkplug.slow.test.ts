import { edgeSparkplug } from '../../faults/edge/sparkplug.ts'
import { testRow } from './test-row.ts'

testRow(edgeSparkplug)
