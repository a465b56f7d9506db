export { groupsBelow, inGroup, machinesOfSites } from './members.ts'
export { lockGroup } from './repository.ts'
export { groupRoutes } from './routes.ts'
export { ofGroup } from './schemas.ts'
