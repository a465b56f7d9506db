export { writeBackup } from './backup.ts'
export { InvalidBackup } from './format.ts'
export { openBackup, RestoreRefused, restoreBackup } from './restore.ts'
