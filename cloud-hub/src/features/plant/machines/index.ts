export { decodeText, readCsv } from './import/read-csv.ts'
export { UnreadableFile } from './import/table.ts'
export { findMachine, machineRoutes } from './routes.ts'
export { MachineParams } from './schemas.ts'
