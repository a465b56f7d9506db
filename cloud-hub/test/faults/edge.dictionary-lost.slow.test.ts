import { edgeDictionaryLost } from '../../faults/edge/dictionary.ts'
import { testRow } from './test-row.ts'

testRow(edgeDictionaryLost)
