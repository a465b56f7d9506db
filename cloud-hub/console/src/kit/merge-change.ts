import { askConflict, type ShowValue } from './conflict-store.ts'
import { compareChange, mergedBody } from './merge-fields.ts'
import { type IfVersion, ifVersion, isChangedMeanwhile, type Versioned } from './record-version.ts'

/** The maximum of attempts: each one that is refused with 412 merges and sends again, then the refusal is shown. */
const ATTEMPTS = 5

/**
 * Sends what the person has changed once more, to the record as it is now.
 * @param refusal what the person reads when it is not sent
 */
export async function merge<Body extends object, Answer>({
  opened,
  body,
  send,
  load,
  refusal,
  show,
}: {
  opened: Versioned
  body: Body
  send(body: Body, header: IfVersion): Promise<Answer>
  load(): Promise<Versioned | undefined>
  refusal: unknown
  show?: ShowValue | undefined
}): Promise<Answer> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const now = await load()
    if (!now) throw refusal
    const compared = compareChange(opened, now, body)
    const mine = compared.conflicts.length > 0 ? await askConflict(compared.conflicts, show) : []
    if (!mine) throw refusal
    try {
      return await send(mergedBody(body, compared, mine), ifVersion(now))
    } catch (error) {
      if (!isChangedMeanwhile(error)) throw error
    }
  }
  throw refusal
}
