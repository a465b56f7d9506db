export { findMachine, machineRoutes } from './routes.ts'
export { MachineParams } from './schemas.ts'
