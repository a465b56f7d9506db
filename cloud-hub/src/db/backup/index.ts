export { writeBackup } from './backup.ts'
export { BackupBroken } from './format.ts'
export { openBackup, RestoreRefused, restoreBackup } from './restore.ts'
