import { type Reading, toReadings } from '@haltless/protocol'
import Database from 'better-sqlite3'
import { decodeColumns } from '../../src/buffer/chunk.ts'
import { SeriesDictionary } from '../../src/buffer/series-dictionary.ts'

/**
 * The contents of a buffer, oldest first, for tools that inspect an agent's disk.
 * @param file of an agent that does not run, or a copy
 */
export function readBuffered(file: string): Reading[] {
  const db = new Database(file)
  try {
    const dictionary = new SeriesDictionary(db)
    const bodies = db.prepare<[], Buffer>('SELECT body FROM chunks ORDER BY id').pluck().all()
    return bodies.flatMap((body) => toReadings(decodeColumns(body, dictionary)))
  } finally {
    db.close()
  }
}
