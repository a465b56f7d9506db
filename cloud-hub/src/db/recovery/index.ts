export {
  type ArchiveSettings,
  archiveOwner,
  compressSegments,
  ForeignArchive,
  missingArchiveFault,
  sourceOf,
  walFolder,
  writeDurably,
} from './archive.ts'
export { type ArchiverState, readArchiverState } from './archiver-state.ts'
export { archiving } from './archiving.ts'
export { makeBaseBackup, RecoveryRefused } from './base-backup.ts'
export { type BaseBackup, KEY_FILE, keptSince, listBaseBackups, removeOldBackups } from './catalogue.ts'
export { isOnTimeline, missingSegment, planRecovery, type RecoveryPlan, type Target } from './plan.ts'
export { fillDataDirectory, recoverySettings } from './prepare.ts'
export { replaceCluster } from './replace-cluster.ts'
export { firstOf, folderSource } from './wal-source.ts'
