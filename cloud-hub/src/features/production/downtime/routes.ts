import { figureRoutes } from './figure-routes.ts'
import { recordRoutes } from './record-routes.ts'

export const downtimeRoutes = () => [...recordRoutes(), ...figureRoutes()]
