import { onSessionChange } from '../api/session.ts'

/** A field that two people have changed, such as `name` or `config.url`. */
export interface FieldConflict {
  path: string
  yours: unknown
  theirs: unknown
}
/** A value in the words of its dialog, such as one in the unit of the reader; undefined: as the form or any other shows it. */
export type ShowValue = (path: string, value: unknown) => string | undefined

export interface Question {
  show: ShowValue | undefined
  conflicts: readonly FieldConflict[]
  /** @param mine the paths for which the value of the person holds; null: the person goes back to the form */
  answer(mine: readonly string[] | null): void
}

let question: Question | null = null
const listeners = new Set<() => void>()
function show(next: Question | null): void {
  question = next
  for (const listener of listeners) listener()
}

export const conflictQuestion = (): Question | null => question
export function onConflictChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Lets the person choose between two values of each field, over the dialog that is open. @returns as for `answer`; null where none is open */
export const askConflict = (conflicts: readonly FieldConflict[], inWords?: ShowValue): Promise<readonly string[] | null> =>
  new Promise((resolve) => {
    if (listeners.size === 0) return resolve(null)
    const asked: Question = {
      show: inWords,
      conflicts,
      answer: (mine) => {
        if (question === asked) show(null)
        resolve(mine)
      },
    }
    show(asked)
  })

// the next person is not asked about the form of the last one
onSessionChange(() => question?.answer(null))
