import { edgeDictionaryReplicas } from '../../faults/edge/dictionary.ts'
import { testRow } from './test-row.ts'

testRow(edgeDictionaryReplicas)
