import { defineConfig } from 'vitest/config'

/** `unit`: beside the code, no server, seconds. `system`: under test/, on a real PostgreSQL, real brokers and real PLC simulators. */
export default defineConfig({
  test: {
    // A process per file: better-sqlite3 is unloaded with the last thread that uses it, and a later collection in another thread then crashes the run.
    pool: 'forks',
    reporters: ['default'],
    // one more than the cores of a small machine: many tests wait for processes, brokers and timers
    maxWorkers: 3,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['*/src/**/*.test.ts', 'install/**/*.test.ts', 'cloud-hub/console/src/**/*.test.ts'],
          testTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'system',
          include: ['*/test/**/*.test.ts'],
          globalSetup: ['./cloud-hub/test/global-setup.ts'],
          setupFiles: ['./cloud-hub/src/db/driver-patches.ts'],
          // for tests that hang: a slow machine must not fail one
          testTimeout: 180_000,
          hookTimeout: 180_000,
          expect: { poll: { timeout: 60_000 } },
          // for the rows of faults, which wait more than they work
          maxConcurrency: 3,
        },
      },
    ],
  },
})
