import { commentRoutes } from './comment-routes.ts'
import { historyRoutes } from './history-routes.ts'
import { instructionRoutes } from './instruction-routes.ts'
import { orderRoutes } from './routes.ts'

export { createOrderFrom } from './create-order.ts'
export { presentOrder } from './present.ts'
export { lockUnsigned, ORDER_COLUMNS, type OrderRow } from './repository.ts'
export { findWorkOrder } from './routes.ts'
export { OrderBody, OrderParams } from './schemas.ts'

export const workOrderRoutes = () => [...orderRoutes(), ...instructionRoutes(), ...commentRoutes(), ...historyRoutes()]
