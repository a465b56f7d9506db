import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { importStartedPrograms } from './install/started-programs.ts'

const SLOW = '*/test/**/*.slow.test.ts'

/** What a test needs that works on a real PostgreSQL, real brokers and real PLC simulators. */
const system = {
  globalSetup: ['./cloud-hub/test/global-setup.ts'],
  // for tests that hang: a slow machine must not fail one
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 60_000 } },
}
const unit = { testTimeout: 120_000, expect: { poll: { timeout: 60_000 } } }
const plugins = [importStartedPrograms]

/** Files that mock a module which other files import too: each needs a process in which nothing is loaded yet. */
const MOCKING = [
  'edge-agent/src/power-cut.test.ts',
  'edge-agent/src/buffer/disk-reserve.test.ts',
  'cloud-hub/console/src/api/stream.test.ts',
]

/**
 * `npm test` runs `unit`, beside the code without a server, and `system`, under test/. `npm run test:slow` runs `slow`: what proves
 * rare promises over minutes, in files with the ending .slow.test.ts.
 *
 * Without isolation, the files of a worker share the loaded modules: loading them costs 2 to 3 seconds of CPU. A worker serves one
 * project, so each project has its turn.
 */
export default defineConfig({
  test: {
    // Processes: better-sqlite3 is unloaded with the last thread that uses it, and a later collection in another thread then crashes the run.
    pool: 'forks',
    reporters: ['default'],
    // one more than the cores of a small machine: many tests wait for processes, brokers and timers
    maxWorkers: Math.max(3, availableParallelism()),
    // Every test depends on these, although none imports them. A change of one makes `--changed` run all tests.
    forceRerunTriggers: ['**/package-lock.json', '**/.vitest.config.ts', '**/cloud-hub/{migrations,patches}/**'],
    projects: [
      {
        plugins,
        test: {
          name: 'unit',
          include: ['*/src/**/*.test.ts', 'install/**/*.test.ts', 'cloud-hub/console/{src,build}/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...MOCKING],
          isolate: false,
          sequence: { groupOrder: 1 },
          ...unit,
        },
      },
      { plugins, test: { ...unit, name: 'mocking', include: MOCKING } },
      {
        plugins,
        test: {
          ...system,
          name: 'system',
          include: ['*/test/**/*.test.ts'],
          exclude: [SLOW],
          isolate: false,
          sequence: { groupOrder: 2 },
        },
      },
      { plugins, test: { ...system, name: 'slow', include: [SLOW], sequence: { groupOrder: 3 } } },
    ],
  },
})
