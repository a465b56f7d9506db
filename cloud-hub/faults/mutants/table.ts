import type { RowReport } from '../row.ts'

/** The sources that mutants change: the one place to correct when they move. */
const FILES = {
  accept: 'cloud-hub/src/features/telemetry/ingest/accept.ts',
  idempotencyKeys: 'cloud-hub/src/features/telemetry/ingest/idempotency-keys.ts',
  evaluate: 'cloud-hub/src/features/alerting/evaluation/threshold/evaluate.ts',
  deliver: 'cloud-hub/src/features/delivery/notifications/deliver.ts',
  walls: 'cloud-hub/migrations/0001_walls.sql',
  writeCoalescer: 'edge-agent/src/buffer/write-coalescer.ts',
  retention: 'edge-agent/src/buffer/retention.ts',
  mqttTransport: 'edge-agent/src/uplink/mqtt-transport.ts',
} as const

/** What the product promises on the way of a reading, in the words of the table that is printed. */
export const PROMISES = {
  1: 'durable first',
  2: 'hand-over by receipt',
  3: 'sent twice is stored once',
  4: 'readings, alerts and deliveries commit together',
  5: 'a fault affects only its owner',
  6: 'loss is never silent',
} as const

/** One change of the sources that breaks a promise, and the row that must see it. */
export interface Mutant {
  promise: keyof typeof PROMISES
  name: string
  file: keyof typeof FILES
  /** exactly one place in the file */
  from: string
  to: string
  row: string
  /** where the short form meets it too seldom */
  isFull?: boolean
  /** how the row has to see it: any other failure proves nothing of the promise */
  isSeen(report: RowReport): boolean
}

export const pathOf = (mutant: Mutant): string => FILES[mutant.file]

/** The source as the mutant leaves it. @throws Error when what it replaces is not there exactly once: the source has changed */
export function mutated(mutant: Mutant, source: string): string {
  const places = source.split(mutant.from).length - 1
  if (places !== 1)
    throw new Error(`the mutant "${mutant.name}" no longer applies: what it replaces is ${places} times in ${pathOf(mutant)}`)
  return source.replace(mutant.from, () => mutant.to)
}

const complains =
  (pattern: RegExp) =>
  ({ complaints }: RowReport): boolean =>
    complaints.some((complaint) => pattern.test(complaint))

export const MUTANTS: readonly Mutant[] = [
  {
    promise: 1,
    name: 'the agent writes to disk after 5 s',
    file: 'writeCoalescer',
    from: 'const FLUSH_EVERY_MS = 50\n',
    to: 'const FLUSH_EVERY_MS = 5_000\n',
    row: 'edge.agent-kill',
    isSeen: ({ lost }) => lost > 0,
  },
  {
    promise: 2,
    name: 'the agent lets go at PUBACK',
    file: 'mqttTransport',
    from: "        if (error) done({ kind: 'silent', why: errorMessage(error) })\n",
    to: `        if (error) return done({ kind: 'silent', why: errorMessage(error) })
        const receipt = { batch_id: batch.batchId, accepted_count: batch.count, rejected_count: 0, errors: [] }
        done({ kind: 'receipt', receipt })\n`,
    row: 'edge.hub-kill',
    isSeen: ({ lost }) => lost > 0,
  },
  {
    promise: 2,
    name: 'the hub says yes before it has stored',
    file: 'accept',
    from: '      this.#queues.add({ tenantId, submission, resolve, reject })\n',
    to: '      this.#queues.add({ tenantId, submission, resolve: () => {}, reject: () => {} })\n      resolve([])\n',
    row: 'hub.kill',
    isSeen: ({ falseYes }) => falseYes > 0,
  },
  {
    promise: 3,
    name: 'a reading has no identity in the database',
    file: 'walls',
    from: '  value double precision not null,\n  primary key (series_id, ts)\n) partition by range (ts);',
    to: '  value double precision not null\n) partition by range (ts);',
    row: 'batches.twice',
    isSeen: ({ doubled }) => doubled > 0,
  },
  {
    promise: 3,
    name: 'idempotency keys are ignored',
    file: 'idempotencyKeys',
    from: '  for (const [name, { r, i }] of firstUse) if (!fresh.has(name)) repeat(r, i)\n',
    to: '',
    row: 'receipts.lost',
    isSeen: ({ doubled }) => doubled > 0,
  },
  {
    promise: 4,
    name: 'a webhook leaves before its alert is committed',
    file: 'deliver',
    from: 'start(asClaimed(each), committed)',
    to: 'start(asClaimed(each))',
    row: 'hub.kill',
    isFull: true,
    isSeen: complains(/webhooks told of an alert that was never committed/),
  },
  {
    promise: 4,
    name: 'an older reading clears a condition',
    file: 'evaluate',
    from: 'for (const point of fresh) if (point.timestamp > evaluatedTo) advance(',
    to: 'for (const point of fresh) advance(',
    row: 'backlog.alerts',
    isSeen: complains(/alerts expected|alerts are not marked late/),
  },
  {
    promise: 5,
    name: 'a refused value fails those that share its flush',
    file: 'accept',
    from: 'for (const request of requests) await this.#flushBatch([request])',
    to: 'for (const request of requests) request.reject(error)',
    row: 'value.refused',
    isSeen: complains(/a good batch was answered/),
  },
  {
    promise: 6,
    name: 'a part of what is dropped is not counted',
    file: 'retention',
    from: '  for (const { body, count, appended_at } of rows) {\n',
    to: '  for (const { body, count, appended_at } of rows.slice(1)) {\n',
    row: 'edge.buffer-full',
    isSeen: ({ lost, declared }) => lost > declared,
  },
]
