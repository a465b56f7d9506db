export { advanceRollouts, failSilentUpdates, leaveRollout, orderUpdate, purgeRollouts } from './progress.ts'
export { addRelease, removeRelease } from './release-files.ts'
export { findNewestVersion, listReleases, newestVersion } from './releases.ts'
export { updateRoutes } from './routes.ts'
