import '../src/db/driver-patches.ts'

// A dynamic import, because the driver patches must be applied before anything loads the driver.
await import('./cli.ts')
