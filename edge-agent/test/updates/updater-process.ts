import { simulatedUpdater } from './simulated-updater.ts'

/** `updater-process.ts ROOT DATA_DIR STEP`: the updater as a process that kills itself after a step. */
const [root, dataDir, killAfter] = process.argv.slice(2) as [string, string, string]
await simulatedUpdater(root, dataDir, killAfter).run()
