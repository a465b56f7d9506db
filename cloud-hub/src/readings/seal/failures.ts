import { dbError, transientDbError } from '../../db/errors.ts'
import { ChangedMeanwhile } from './machine.ts'

/** foreign_key_violation, deadlock_detected: the machine or a series has been deleted meanwhile */
const COLLISIONS = ['23503', '40P01']

/** Another transaction moved or deleted the same readings: a later run does the work. */
export const isCollision = (error: unknown): boolean =>
  error instanceof ChangedMeanwhile || COLLISIONS.includes(dbError(error)?.code ?? '')

/** A condition that no other machine would escape either. */
export function isDatabaseAway(error: unknown): boolean {
  const transient = transientDbError(error)
  return transient !== null && transient.code !== 'database_busy'
}
