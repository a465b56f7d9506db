import { edgeFileRotation } from '../../faults/edge/file-rotation.ts'
import { testRow } from './test-row.ts'

testRow(edgeFileRotation)
