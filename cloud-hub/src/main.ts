import './db/driver-patches.ts'

// Not a static import: those are all loaded first, and the driver with them.
await import('./cli.ts')
