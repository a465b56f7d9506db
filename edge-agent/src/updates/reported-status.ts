import { closeSync, fstatSync, readFileSync } from 'node:fs'
import { z } from 'zod'
import { openForeign } from './unpack.ts'

const Words = z.string().max(10_000).catch('')
/** Unix ms */
const Time = z.number()

/**
 * The part of the agent's status file that is judged. The updater of one version reads the file of the next, so these fields keep their
 * names and meaning.
 */
const ReportedStatus = z.object({
  pid: z.int(),
  version: z.string().max(100),
  startedAt: Time,
  writtenAt: Time,
  readingClock: z.object({ now: Time }),
  uplink: z.object({ state: z.string(), detail: Words, lastReceiptAt: Time.nullable(), liveStoredTotal: z.number() }),
  hub: z.object({ lastAnswerAt: Time.nullable(), detail: Words }),
  collectors: z.record(
    z.string(),
    z.object({ state: z.string(), detail: Words, lastReadAt: Time.nullable(), isEventDriven: z.boolean().optional() }),
  ),
})
export type ReportedStatus = z.infer<typeof ReportedStatus>

/** 10,000 bad tags of each of some collectors are a few MB. */
const BYTES_MAX = 32 * 2 ** 20

/** For the updater, which trusts nothing in the agent's folder. @returns null: nothing that can be read */
export function readReportedStatus(file: string): ReportedStatus | null {
  try {
    const opened = openForeign(file)
    try {
      return fstatSync(opened).size > BYTES_MAX ? null : ReportedStatus.parse(JSON.parse(readFileSync(opened, 'utf8')))
    } finally {
      closeSync(opened)
    }
  } catch {
    return null
  }
}
