import { parentPort, workerData } from 'node:worker_threads'
import { readCsv } from './read-csv.ts'
import { readXlsx } from './read-xlsx.ts'
import { type Row, toRows, UnreadableFile } from './table.ts'

/** Reads one file in a thread of its own: what it costs is limited from outside, and it stalls nobody. */
export type ParseAnswer = { rows: Row[] } | { fault: string }

const bytes = Buffer.from(workerData as Uint8Array)
const beginsWith = (mark: string) => bytes.subarray(0, mark.length).toString('latin1') === mark
const isWorkbook = beginsWith('PK\x03\x04')
let answer: ParseAnswer
try {
  if (beginsWith('\xd0\xcf\x11\xe0'))
    throw new UnreadableFile('The file is a workbook of the old kind (.xls), or has a password: save it as .xlsx or CSV.')
  answer = { rows: toRows(isWorkbook ? await readXlsx(bytes) : readCsv(bytes)) }
} catch (error) {
  if (!(error instanceof UnreadableFile)) throw error
  answer = { fault: error.message }
}
parentPort?.postMessage(answer)
