import '../db/mended-driver.ts'

await import('./demo.ts')
