export { failSilentUpdates, leaveRollout, orderUpdate, purgeRollouts } from './progress.ts'
export { addRelease, removeRelease } from './release-files.ts'
export { listReleases } from './releases.ts'
export { updateRoutes } from './routes.ts'
