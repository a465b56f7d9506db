import { instructionRoutes } from './instruction-routes.ts'
import { commentRoutes, historyRoutes, orderRoutes } from './routes.ts'

export { createOrderFrom } from './create-order.ts'
export { checkAssignees, countOverdue, lockUnsigned, ORDER_COLUMNS, type OrderRow } from './repository.ts'
export { findWorkOrder, presentOrder } from './routes.ts'
export { OrderBody, OrderParams } from './schemas.ts'

export const workOrderRoutes = () => [...orderRoutes(), ...instructionRoutes(), ...commentRoutes(), ...historyRoutes()]
