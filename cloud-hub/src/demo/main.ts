import '../db/driver-patches.ts'
import '../db/drizzle-loading.ts'

await import('./demo.ts')
