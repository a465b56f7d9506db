export { enqueueDeliveries } from './enqueue.ts'
