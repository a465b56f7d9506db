import { defineConfig } from 'vitest/config'

/** `unit`: beside the code, no server, seconds. `system`: under test/, on a real PostgreSQL, real brokers and real PLC simulators. */
export default defineConfig({
  test: {
    pool: 'threads',
    reporters: ['default'],
    projects: [
      { test: { name: 'unit', include: ['*/src/**/*.test.ts'], testTimeout: 60_000, maxWorkers: '100%' } },
      {
        test: {
          name: 'system',
          include: ['*/test/**/*.test.ts'],
          globalSetup: ['./cloud-hub/test/global-setup.ts'],
          setupFiles: ['./cloud-hub/src/db/driver-patches.ts'],
          // for tests that hang: a slow machine must not fail one
          testTimeout: 180_000,
          hookTimeout: 180_000,
          maxWorkers: 2,
          // for the rows of faults, which wait more than they work
          maxConcurrency: 3,
        },
      },
    ],
  },
})
