import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** The rows of faults take longest and wait more than they work: one file of them begins first, the other runs beside the second half. */
class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const named = (name: string) => sorted.filter(({ moduleId }) => moduleId.endsWith(name))
    const [edge, hub] = [named('/faults-edge.test.ts'), named('/faults-hub.test.ts')]
    const others = sorted.filter((file) => !edge.includes(file) && !hub.includes(file))
    const half = others.length >> 1
    return [...edge, ...others.slice(0, half), ...hub, ...others.slice(half)]
  }
}

/** Files that mock a module which other files import too: each needs a process in which nothing is loaded yet. */
const MOCKING = [
  'edge-agent/src/power-cut.test.ts',
  'edge-agent/src/buffer/disk-reserve.test.ts',
  'cloud-hub/console/src/api/stream.test.ts',
]

/**
 * `unit`: beside the code, no server, seconds. `system`: under test/, on a real PostgreSQL, real brokers and real PLC simulators.
 * Without isolation, the files of a worker share the loaded modules; loading costs 2 to 3 seconds of CPU. A worker serves one project, so each project has its turn.
 */
export default defineConfig({
  test: {
    // Processes: better-sqlite3 is unloaded with the last thread that uses it, and a later collection in another thread then crashes the run.
    pool: 'forks',
    reporters: ['default'],
    // one more than the cores of a small machine: many tests wait for processes, brokers and timers
    maxWorkers: 3,
    sequence: { sequencer: WaitingFirst },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['*/src/**/*.test.ts', 'install/**/*.test.ts', 'cloud-hub/console/src/**/*.test.ts'],
          exclude: ['**/node_modules/**', ...MOCKING],
          isolate: false,
          sequence: { groupOrder: 1 },
          testTimeout: 60_000,
        },
      },
      { test: { name: 'mocking', include: MOCKING, testTimeout: 60_000 } },
      {
        test: {
          name: 'system',
          include: ['*/test/**/*.test.ts'],
          isolate: false,
          sequence: { groupOrder: 2 },
          globalSetup: ['./cloud-hub/test/global-setup.ts'],
          setupFiles: [
            './cloud-hub/src/db/driver-patches.ts',
            './cloud-hub/src/db/drizzle-loading.ts',
            './cloud-hub/test/cheap-hashes.ts',
          ],
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
