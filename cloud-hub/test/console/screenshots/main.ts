import '../../../src/db/driver-patches.ts'

await import('./run.ts')
