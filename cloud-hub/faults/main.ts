import '../src/db/driver-patches.ts'

// Not a static import: the patches must be there before anything loads the driver.
await import('./cli.ts')
