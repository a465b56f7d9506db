import { readFileSync } from 'node:fs'
import path from 'node:path'

/**
 * The identity of a cluster, and the position and timeline of its last checkpoint; null: there is no cluster.
 * Source: PostgreSQL 18, pg_control.h (ControlFileData, CheckPoint), on processors with little-endian integers
 */
export function readControlFile(dataDir: string): { systemId: string; timeline: number; checkpointLsn: number } | null {
  try {
    const bytes = readFileSync(path.join(dataDir, 'global/pg_control'))
    return {
      systemId: String(bytes.readBigUInt64LE(0)),
      timeline: bytes.readUInt32LE(48),
      checkpointLsn: Number(bytes.readBigUInt64LE(32)),
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
