import './db/driver-patches.ts'

// A static import would load the driver before our patches apply to it.
await import('./cli.ts')
