export { findMachine, machineRoutes } from './routes.ts'
export { MachineParams } from './schemas.ts'
export { followReadings, sweepSilentMachines } from './status.ts'
