import { describe, expect, it } from 'vitest'
import { signedOut } from '../api/session.ts'
import { askConflict, conflictQuestion, onConflictChange } from './conflict-store.ts'

const CONFLICTS = [{ path: 'name', yours: 'a', theirs: 'b' }]

describe('a question about what two people have changed', () => {
  it('is answered at once where no dialog can show it', async () => {
    expect(await askConflict(CONFLICTS)).toBeNull()
    expect(conflictQuestion()).toBeNull()
  })

  it('leaves with its answer, and a late second one does not take the next question away', async () => {
    const stop = onConflictChange(() => {})
    const first = askConflict(CONFLICTS)
    const asked = conflictQuestion()
    asked?.answer(['name'])
    expect(await first).toEqual(['name'])
    const second = askConflict(CONFLICTS)
    asked?.answer(null)
    expect(conflictQuestion()).not.toBeNull()
    conflictQuestion()?.answer([])
    expect(await second).toEqual([])
    stop()
  })

  it('ends with the session', async () => {
    const stop = onConflictChange(() => {})
    const answer = askConflict(CONFLICTS)
    signedOut('signed_out')
    expect(await answer).toBeNull()
    expect(conflictQuestion()).toBeNull()
    stop()
  })
})
