export { type DeliveryWorker, startDelivering } from './deliver.ts'
export { DELIVERIES_CHANNEL, type Lease, storeAndQueue } from './enqueue.ts'
export { loadVapidKey, type VapidKey, vapidContact } from './push/vapid.ts'
export { notificationRoutes } from './routes.ts'
