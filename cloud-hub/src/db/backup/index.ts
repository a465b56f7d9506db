export { writeBackup } from './backup.ts'
export type { BackedFiles, BackupStore } from './files.ts'
export { InvalidBackup } from './format.ts'
export { openBackup, type RestoreProgress, RestoreRefused, restoreBackup } from './restore.ts'
