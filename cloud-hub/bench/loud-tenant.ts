import { setTimeout as sleep } from 'node:timers/promises'
import { fullOrShort } from '@haltless/protocol/bench'

/**
 * The loud tenant of another benchmark: at the same time it sends all its machines' readings without a pause, keeps live streams open, exports
 * a year of charts and raw readings as CSV, and tests rules against the past. Each sender begins again when its answer has come. Arguments:
 * URL, then comma-separated API keys, access tokens and ids of machines. Prints `ready` once each kind of request was answered. When its input
 * ends it prints how many answers of each kind it got since then.
 */
const [SENDERS, READERS, BACKTESTS] = [4, 4, 2]
const STREAMS = fullOrShort(20, 4)
const READINGS = 1_000
/** after a refusal, such as of the rate limit */
const PAUSE_MS = 200

const [base, keys, tokens, machines] = process.argv.slice(2) as [string, string, string, string]
const [apiKeys, accessTokens, ids] = [keys.split(','), tokens.split(','), machines.split(',')]
const api = `${base}/api/v1`
const answers: Record<string, number> = { ingest: 0, reads: 0, backtests: 0, streams: 0, refused: 0 }
const ended = new AbortController()
const { signal } = ended
let turn = 0
const next = (of: readonly string[]) => of[turn++ % of.length] as string

async function repeat(kind: string, ask: () => Promise<Response>): Promise<void> {
  while (!signal.aborted) {
    try {
      const answer = await ask()
      await answer.arrayBuffer()
      if (answer.ok) answers[kind] = (answers[kind] as number) + 1
      else {
        answers.refused = (answers.refused as number) + 1
        await sleep(PAUSE_MS, undefined, { signal })
      }
    } catch (error) {
      if (!signal.aborted) throw error
    }
  }
}

let instant = Date.now()
function send(): Promise<Response> {
  const timestamp = new Date(Math.max(Date.now() - 1_000, ++instant)).toISOString()
  const readings = Array.from({ length: READINGS }, (_, i) => ({
    machine_identifier: `m${Math.floor(i / 10)}`,
    metric_name: `metric_${i % 10}`,
    unit: 'celsius',
    timestamp,
    value: Math.round(1_000 * Math.sin(i + instant / 1_000)) / 10,
  }))
  const headers = { 'content-type': 'application/json', 'x-api-key': next(apiKeys) }
  return fetch(`${api}/ingest`, { method: 'POST', headers, body: JSON.stringify({ readings }), signal })
}

const authorized = (more: Record<string, string> = {}) => ({ authorization: `Bearer ${next(accessTokens)}`, ...more })
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

function read(): Promise<Response> {
  const id = next(ids)
  const isExport = turn % 2 === 0
  const query = isExport ? `start=${daysAgo(89)}&end=${daysAgo(0)}&interval=1m` : `start=${daysAgo(1)}&end=${daysAgo(0)}`
  return fetch(`${api}/machines/${id}/readings?${query}`, {
    headers: authorized(isExport ? { accept: 'text/csv' } : {}),
    signal,
  })
}

const backtest = (): Promise<Response> =>
  fetch(`${api}/alert-rules/backtest`, {
    method: 'POST',
    headers: authorized({ 'content-type': 'application/json' }),
    body: JSON.stringify({
      metric_name: 'metric_0',
      warning_threshold: 50,
      critical_threshold: 90,
      start: daysAgo(7),
      end: daysAgo(0),
    }),
    signal,
  })

async function stream(): Promise<void> {
  const answer = await fetch(`${api}/stream`, { headers: authorized(), signal })
  if (!answer.ok) throw new Error(`a stream was answered with ${answer.status}`)
  answers.streams = (answers.streams as number) + 1
  for await (const _part of answer.body as AsyncIterable<Uint8Array>) if (signal.aborted) return
}

const running = [
  ...Array.from({ length: SENDERS }, () => repeat('ingest', send)),
  ...Array.from({ length: READERS }, () => repeat('reads', read)),
  ...Array.from({ length: BACKTESTS }, () => repeat('backtests', backtest)),
  ...Array.from({ length: STREAMS }, () => stream().catch((error) => (signal.aborted ? undefined : Promise.reject(error)))),
]
for (const one of running) one.catch((error) => fail(error))

function fail(error: unknown): void {
  process.stderr.write(`the loud tenant failed: ${error}\n`)
  process.exit(1)
}

while (Object.entries(answers).some(([kind, count]) => kind !== 'refused' && count === 0)) await sleep(50)
const begun = { ...answers }
process.stdout.write('ready\n')
process.stdin.resume().once('end', () => {
  ended.abort()
  const since = Object.entries(answers).map(([kind, count]) => [kind, kind === 'streams' ? count : count - (begun[kind] ?? 0)])
  process.stdout.write(`${JSON.stringify(Object.fromEntries(since))}\n`, () => process.exit(0))
})
