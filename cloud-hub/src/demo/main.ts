import '../db/driver-patches.ts'

await import('./demo.ts')
