import { type Dispatch, type SetStateAction, useState } from 'react'
import type { ShowValue } from './conflict-store.ts'
import { type IfVersion, ifVersion, isChangedMeanwhile, type Versioned } from './record-version.ts'

/** Sends a change. @param body what the form has, or what of it is left after the changes of others were merged */
type Send<Body, Answer> = (body: Body, header: IfVersion) => Promise<Answer>

/**
 * Changes a record as it was when its form was opened, so that nobody loses what somebody else has changed since: other fields of theirs stay,
 * and for the same ones the person chooses.
 * @param record undefined or null: the form makes a new one
 * @param load reads the record anew; undefined where it is gone
 * @param show values that the form does not show as they are stored
 * @returns sends a change; and sets what the form shows, where that has been read again
 */
export function useRecordChange<Opened extends Versioned>(
  record: Opened | null | undefined,
  load: (opened: Opened) => Promise<Versioned | undefined>,
  show?: ShowValue,
): [
  change: <Body extends object, Answer>(body: Body, send: Send<Body, Answer>) => Promise<Answer>,
  setOpened: Dispatch<SetStateAction<Opened | null | undefined>>,
] {
  // the page reads the record again while the form is open
  const [opened, setOpened] = useState(record)
  const change = async <Body extends object, Answer>(body: Body, send: Send<Body, Answer>): Promise<Answer> => {
    if (!opened) throw new Error('A record that is made has no version yet.')
    return changeRecord({ opened, body, send, load: () => load(opened), show })
  }
  return [change, setOpened]
}

/** Sends a change on the condition that the record is as it was opened, or else merges it with that of others. */
export async function changeRecord<Body extends object, Answer>(change: {
  opened: Versioned
  body: Body
  send: Send<Body, Answer>
  load(): Promise<Versioned | undefined>
  show?: ShowValue | undefined
}): Promise<Answer> {
  try {
    return await change.send(change.body, ifVersion(change.opened))
  } catch (error) {
    if (!isChangedMeanwhile(error)) throw error
    const { merge } = await import('./merge-change.ts')
    return merge({ ...change, refusal: error })
  }
}
