export { type DeliveryWorker, startDelivering } from './deliver.ts'
export { type Lease, storeAndQueue } from './enqueue.ts'
export { notificationRoutes } from './routes.ts'
