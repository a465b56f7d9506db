import { parentPort, workerData } from 'node:worker_threads'
import { type FieldMessage, fieldMessage } from '../../../../error-codes/field-messages.ts'
import { readCsv } from './read-csv.ts'
import { readXlsx } from './read-xlsx.ts'
import { type Row, toRows, UnreadableFile } from './table.ts'

/** The messages of the thread that reads one file: first that its modules are loaded, then the rows or an error. */
export type ParseMessage = 'loaded' | { rows: Row[] } | { fault: FieldMessage }

const bytes = Buffer.from(workerData as Uint8Array)
const beginsWith = (mark: string) => bytes.subarray(0, mark.length).toString('latin1') === mark
const isWorkbook = beginsWith('PK\x03\x04')
let answer: ParseMessage
parentPort?.postMessage('loaded' satisfies ParseMessage)
try {
  if (beginsWith('\xd0\xcf\x11\xe0')) throw new UnreadableFile(fieldMessage('file_old_excel'))
  answer = { rows: toRows(isWorkbook ? await readXlsx(bytes) : readCsv(bytes)) }
} catch (error) {
  if (!(error instanceof UnreadableFile)) throw error
  answer = { fault: error.fault }
}
parentPort?.postMessage(answer)
