import '../src/db/mended-driver.ts'

// Not a static import: the driver must be mended before anything loads it.
await import('./cli.ts')
