export { groupsBelow, inGroup, machinesOfSites } from './members.ts'
export { listGroups, lockGroup } from './repository.ts'
export { groupRoutes, presentGroup } from './routes.ts'
export { GroupBody, ofGroup } from './schemas.ts'
