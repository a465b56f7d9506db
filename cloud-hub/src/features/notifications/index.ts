export { startDelivering } from './deliver.ts'
export { enqueueDeliveries } from './enqueue.ts'
export { notificationRoutes } from './routes.ts'
