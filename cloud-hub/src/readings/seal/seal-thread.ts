import '../../db/driver-patches.ts'
import '../../db/drizzle-loading.ts'

// A static import would load the driver before our patches apply to it.
await import('./serve-thread.ts')
