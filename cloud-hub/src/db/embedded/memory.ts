import { readFileSync } from 'node:fs'
import { totalmem } from 'node:os'
import path from 'node:path'

const MB = 1_048_576
/** What `npm start` and tests use; also PostgreSQL's own default. */
export const SMALL_SHARED_BUFFERS_MB = 128
const [MIN_SHARED_BUFFERS_MB, MAX_SHARED_BUFFERS_MB] = [16, 2_048]

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

/**
 * The memory limit of a control group: the smallest one of the group and the groups above it, because each holds. Infinity without
 * a limit. In a container the upper folders of the path may be hidden; the mounted root is then the container's group.
 */
function groupLimit(mount: string, group: string, file: string): number {
  const limits: number[] = []
  for (let name = path.posix.join('/', group); ; name = path.posix.dirname(name)) {
    const limit = Number.parseInt(read(path.join(mount, name, file)), 10)
    // `max` in version 2 means no limit; version 1 has a number beyond every machine
    if (limit > 0) limits.push(limit)
    if (name === '/') return Math.min(...limits)
  }
}

/**
 * The memory in bytes that this process and its children may use: that of the machine, or of its control group if that is less.
 * @param root where the system's files are; another folder in tests
 * Source: Linux, Control Group v2 (memory.max) and Control Groups version 1, memory (memory.limit_in_bytes)
 */
export function usableMemory(root = '/', machineBytes = totalmem()): number {
  const mount = path.join(root, 'sys/fs/cgroup')
  // lines of hierarchy id, controllers, path; version 2 has id 0 and no controllers
  const limits = read(path.join(root, 'proc/self/cgroup'))
    .split('\n')
    .map((line) => {
      const [id, controllers = '', group = '/'] = line.split(':')
      if (id === '0' && controllers === '') return groupLimit(mount, group, 'memory.max')
      if (controllers.split(',').includes('memory')) return groupLimit(path.join(mount, 'memory'), group, 'memory.limit_in_bytes')
      return Number.POSITIVE_INFINITY
    })
  return Math.min(machineBytes, ...limits)
}

/** An eighth of the memory, from 16 MB to 2 GB: PostgreSQL shares it with the hub and the page cache. */
export const sharedBuffersMb = (bytes = usableMemory()): number =>
  Math.min(MAX_SHARED_BUFFERS_MB, Math.max(MIN_SHARED_BUFFERS_MB, Math.floor(bytes / 8 / MB)))

/**
 * PostgreSQL's arguments for an amount of shared buffers. Rarer checkpoints write fewer full pages to the WAL. The limit of 4 GB
 * bounds the disk space, and the time of a recovery. Settings of durability stay as they are.
 */
export function memoryFlags(sharedMb: number): string[] {
  const maxWalMb = Math.min(4_096, Math.max(1_024, sharedMb * 8))
  const settings = {
    shared_buffers: `${sharedMb}MB`,
    wal_buffers: `${Math.min(64, Math.max(1, Math.floor(sharedMb / 32)))}MB`,
    max_wal_size: `${maxWalMb}MB`,
    min_wal_size: `${maxWalMb / 8}MB`,
    checkpoint_timeout: '15min',
  }
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}
