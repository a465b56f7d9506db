import { randomUUID } from 'node:crypto'
import { type Fault, fault } from '@haltless/protocol/faults'
import type { GuardedClient } from '../../../support/net/guarded-client.ts'
import { type AttemptDeps, deliverSafely } from './attempt.ts'
import type { DeliveryOutcome, Notice } from './channel.ts'
import { type ChannelRow, openConfig } from './manage-channel.ts'

/** The test message that the specification prescribes: it has no machine. */
const testNotice = (): Notice => ({
  type: 'test',
  event: 'raised',
  deliveryId: randomUUID(),
  message: 'This is a test from Haltless: the channel works.',
  severity: 'info',
  metricName: 'test_metric',
  triggerValue: 0,
  thresholdValue: 0,
  alert: null,
  machine: null,
})

/** The time for the test and its closing together, so that the HTTP request is answered in time. */
const TEST_MS = 10_000
const LEAST_END_MS = 1_000

/**
 * Sends a test, and closes the incident or ticket that it opens at once, before it pages anyone.
 * @returns the outcome of the test, a sentence about it, and what failed; of a test that was accepted, why its ticket stays open
 */
export async function sendTest(
  deps: Pick<AttemptDeps, 'http' | 'mailer' | 'publicUrl' | 'vapid' | 'clock' | 'logger' | 'box'>,
  row: ChannelRow,
): Promise<{ outcome: DeliveryOutcome; message: string; fault: Fault | null }> {
  const notice = testNotice()
  const started = performance.now()
  const send = (given: Notice, http: GuardedClient) =>
    deliverSafely({ ...deps, http, timeZoneOf: async () => 'UTC' }, given, row.channelType, () => openConfig(deps.box, row))
  const outcome = await send(notice, deps.http)
  if (outcome.kind !== 'delivered')
    return { outcome, message: `The test failed: ${sentence(outcome.fault.detail)}`, fault: outcome.fault }
  if (!row.followsAlert) return { outcome, message: 'The receiver accepted the test.', fault: null }
  const [isTicket, ticket] = [row.subjectKind === 'series', { key: '', knownId: outcome.ticketId ?? null }]
  const what = isTicket ? 'ticket' : 'incident'
  const signal = AbortSignal.timeout(Math.max(LEAST_END_MS, Math.round(started + TEST_MS - performance.now())))
  const inTime: GuardedClient = { ...deps.http, request: (url, request) => deps.http.request(url, { ...request, signal }) }
  const end = await send({ ...notice, event: 'cleared', ...(isTicket && { ticket }) }, inTime)
  if (end.kind === 'delivered')
    return { outcome, message: `The receiver accepted the test; its ${what} was closed again.`, fault: null }
  return {
    outcome,
    message: `The receiver accepted the test, but its ${what} stays open, please close it there: ${sentence(end.fault.detail)}`,
    fault: fault(isTicket ? 'test_ticket_open' : 'test_incident_open', { reason: end.fault }),
  }
}

const sentence = (error: string) => `${error.replace(/\.$/, '')}.`
