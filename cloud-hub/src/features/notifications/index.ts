export { type DeliveryWorker, startDelivering } from './deliver.ts'
export { enqueueDeliveries, type Lease, type Leased } from './enqueue.ts'
export { notificationRoutes } from './routes.ts'
