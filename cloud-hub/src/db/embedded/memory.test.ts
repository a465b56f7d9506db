import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { memoryFlags, sharedBuffersMb, usableMemory } from './memory.ts'

const [MB, GB] = [1_048_576, 1_073_741_824]

/** A folder with these files, as the root of a system. */
function systemWith(files: Record<string, string>): string {
  const root = mkdtempSync(path.join(tmpdir(), 'haltless-memory-'))
  onTestFinished(() => rmSync(root, { recursive: true, force: true }))
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(root, name)), { recursive: true })
    writeFileSync(path.join(root, name), text)
  }
  return root
}

describe('the memory that PostgreSQL may count on', () => {
  it.each<[string, Record<string, string>, number]>([
    ['the machine without control groups', {}, 8 * GB],
    [
      'a control group of version 2',
      { 'proc/self/cgroup': '0::/system.slice/hub.service\n', 'sys/fs/cgroup/system.slice/hub.service/memory.max': `${GB}\n` },
      GB,
    ],
    [
      'a group of version 2 above its own, which has none',
      {
        'proc/self/cgroup': '0::/a/b\n',
        'sys/fs/cgroup/a/b/memory.max': 'max\n',
        'sys/fs/cgroup/a/memory.max': `${2 * GB}\n`,
      },
      2 * GB,
    ],
    [
      'a container of version 2, whose group is the root',
      { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/memory.max': `${3 * GB}` },
      3 * GB,
    ],
    ['the machine where version 2 says max', { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/memory.max': 'max\n' }, 8 * GB],
    [
      'a container of version 1, whose path is that of its host',
      {
        'proc/self/cgroup': '12:pids:/docker/abc\n9:cpu,memory:/docker/abc\n0::/docker/abc\n',
        'sys/fs/cgroup/memory/memory.limit_in_bytes': `${512 * MB}\n`,
      },
      512 * MB,
    ],
    [
      'the machine where version 1 has no limit',
      { 'proc/self/cgroup': '9:memory:/\n', 'sys/fs/cgroup/memory/memory.limit_in_bytes': '9223372036854771712\n' },
      8 * GB,
    ],
    [
      'the machine where a group allows more',
      { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/memory.max': `${64 * GB}\n` },
      8 * GB,
    ],
    ['a tiny group', { 'proc/self/cgroup': '0::/\n', 'sys/fs/cgroup/memory.max': `${64 * MB}\n` }, 64 * MB],
  ])('is that of %s', (_, files, expected) => {
    expect(usableMemory(systemWith(files), 8 * GB)).toBe(expected)
  })

  it('becomes shared buffers of an eighth, from 16 MB to 2 GB', () => {
    const sizes = [64 * MB, GB, 8 * GB, 16 * GB, 512 * GB].map((bytes) => sharedBuffersMb(bytes))
    expect(sizes).toEqual([16, 128, 1_024, 2_048, 2_048])
  })

  it.each([
    [16, ['1MB', '1024MB', '128MB']],
    [128, ['4MB', '1024MB', '128MB']],
    [256, ['8MB', '2048MB', '256MB']],
    [2_048, ['64MB', '4096MB', '512MB']],
  ])('sets the WAL beside %d MB of shared buffers, and nothing of durability', (megabytes, [buffers, max, min]) => {
    expect(memoryFlags(megabytes).filter((flag) => flag !== '-c')).toEqual([
      `shared_buffers=${megabytes}MB`,
      `wal_buffers=${buffers}`,
      `max_wal_size=${max}`,
      `min_wal_size=${min}`,
      'checkpoint_timeout=15min',
    ])
  })
})
