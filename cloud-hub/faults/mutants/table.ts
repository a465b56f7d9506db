import type { RowReport } from '../row.ts'

/** The sources that mutants change; correct paths here when they move. */
const FILES = {
  accept: 'cloud-hub/src/features/telemetry/ingest/accept.ts',
  idempotencyKeys: 'cloud-hub/src/features/telemetry/ingest/idempotency-keys.ts',
  evaluate: 'cloud-hub/src/features/alerting/evaluation/threshold/evaluate.ts',
  deliver: 'cloud-hub/src/features/delivery/notifications/deliver.ts',
  latestSave: 'cloud-hub/src/readings/latest/save.ts',
  latestRows: 'cloud-hub/src/readings/latest/rows.ts',
  storedInstants: 'cloud-hub/src/readings/query/stored-instants.ts',
  claim: 'cloud-hub/src/readings/claim.ts',
  writeCoalescer: 'edge-agent/src/buffer/write-coalescer.ts',
  retention: 'edge-agent/src/buffer/retention.ts',
  fileCollector: 'edge-agent/src/collectors/file/collector.ts',
  sparkplugNode: 'edge-agent/src/collectors/sparkplug/node.ts',
  mqttTransport: 'edge-agent/src/uplink/mqtt-transport.ts',
  batchSender: 'edge-agent/src/uplink/batch-sender.ts',
  replicas: 'cloud-hub/src/db/replicas.ts',
  updater: 'edge-agent/src/updates/updater.ts',
  signature: 'edge-agent/src/updates/signature.ts',
  tarReader: 'edge-agent/src/updates/tar-reader.ts',
  unpack: 'edge-agent/src/updates/unpack.ts',
} as const

/** The promises of the product along the path of a reading, as the printed table names them. */
export const PROMISES = {
  1: 'the agent writes a reading to disk first',
  2: 'the agent deletes a reading after its receipt',
  3: 'a reading sent twice is stored once',
  4: 'readings, alerts and deliveries commit together',
  5: 'a fault affects only its owner',
  6: 'loss is never silent',
  7: 'an update costs no agent and is signed',
} as const

/** A change of the sources that breaks a promise, and the row that must detect it. */
export interface Mutant {
  promise: keyof typeof PROMISES
  name: string
  file: keyof typeof FILES
  /** the text to replace; it occurs exactly once in the file */
  from: string
  to: string
  row: string
  /** the short form hits the broken code too seldom */
  needsFullForm?: boolean
  /** whether the row failed because of the broken promise, not for another reason */
  isDetected(report: RowReport): boolean
}

export const pathOf = (mutant: Mutant): string => FILES[mutant.file]

/** Applies the mutant to the source. @throws Error when its text does not occur exactly once: the source has changed */
export function applyMutant(mutant: Mutant, source: string): string {
  const places = source.split(mutant.from).length - 1
  if (places !== 1)
    throw new Error(`the mutant "${mutant.name}" no longer applies: what it replaces is ${places} times in ${pathOf(mutant)}`)
  return source.replace(mutant.from, () => mutant.to)
}

const hasFailure =
  (pattern: RegExp) =>
  ({ failures }: RowReport): boolean =>
    failures.some((failure) => pattern.test(failure))

export const MUTANTS: readonly Mutant[] = [
  {
    promise: 1,
    name: 'the agent writes to disk after 5 s',
    file: 'writeCoalescer',
    from: 'const FLUSH_EVERY_MS = 50\n',
    to: 'const FLUSH_EVERY_MS = 5_000\n',
    row: 'edge.agent-kill',
    isDetected: ({ lost }) => lost > 0,
  },
  {
    promise: 1,
    name: 'the position of a file is stored before its readings',
    file: 'fileCollector',
    from: '      if (!(await this.#store(files, run, portion, files.checkpointOf(file, portion.position)))) {\n',
    to: `      await this.#store(files, run, null, files.checkpointOf(file, portion.position))
      await this.#deps.clock.sleep(300)
      if (!(await this.#store(files, run, portion, []))) {\n`,
    row: 'edge.file-rotation',
    isDetected: ({ lost, failures }) => lost > 0 || failures.some((failure) => failure.includes('lines of')),
  },
  {
    promise: 6,
    name: 'lost messages of a Sparkplug node are not counted',
    file: 'sparkplugNode',
    from: '    board.lost(this.#machines, this.#heardAt, clock.now(), missing)\n',
    to: '',
    row: 'edge.sparkplug',
    isDetected: hasFailure(/messages were lost/),
  },
  {
    promise: 2,
    name: 'the agent gives up a batch whose dictionary the hub lost',
    file: 'batchSender',
    from: "    return dictionary !== null || code === 'unknown_version'\n",
    to: '    return false\n',
    row: 'edge.dictionary-lost',
    isDetected: hasFailure(/the agent parked [1-9]/),
  },
  {
    promise: 2,
    name: 'the hub announces what it reads itself, whatever other hubs read',
    file: 'replicas',
    from: 'and v <> all(r.wire_versions)',
    to: 'and false',
    row: 'wire.mixed',
    isDetected: hasFailure(/numbers were sent while a hub that reads only names was running/),
  },
  {
    promise: 2,
    name: 'the agent deletes a batch at PUBACK',
    file: 'mqttTransport',
    from: "        if (error) done({ kind: 'silent', why: errorMessage(error) })\n",
    to: `        if (error) return done({ kind: 'silent', why: errorMessage(error) })
        const receipt = { batch_id: batch.batchId, accepted_count: batch.count, rejected_count: 0, errors: [] }
        done({ kind: 'receipt', receipt })\n`,
    row: 'edge.hub-kill',
    isDetected: ({ lost }) => lost > 0,
  },
  {
    promise: 2,
    name: 'the hub confirms readings before it has stored them',
    file: 'accept',
    from: '      this.#queues.add({ tenantId, submission, resolve, reject })\n',
    to: '      this.#queues.add({ tenantId, submission, resolve: () => {}, reject: () => {} })\n      resolve([])\n',
    row: 'hub.kill',
    isDetected: ({ falselyAccepted }) => falselyAccepted > 0,
  },
  {
    promise: 3,
    name: 'a claim takes all readings for new',
    file: 'claim',
    from: '        if (known?.has(at) || (i > span.from && at === timestamps[i - 1])) continue\n',
    to: '',
    row: 'batches.twice',
    isDetected: ({ doubled }) => doubled > 0,
  },
  {
    promise: 3,
    name: 'live readings are not compared with the newest',
    file: 'latestSave',
    from: '        where l.xmin = excluded.written::xid\n',
    to: '',
    row: 'store.property',
    isDetected: hasFailure(/^series/),
  },
  {
    promise: 3,
    name: 'a claim does not lock the newest readings',
    file: 'latestRows',
    from: 'w.c order by l.machine_id, l.chunk for update of l`',
    to: 'w.c order by l.machine_id, l.chunk`',
    row: 'store.property',
    isDetected: hasFailure(/^series|acknowledged/),
  },
  {
    promise: 3,
    name: 'a claim does not look into the tail',
    file: 'storedInstants',
    from: '        (id) => bySeries.has(id),\n',
    to: '        () => false,\n',
    row: 'store.property',
    isDetected: hasFailure(/^series|acknowledged/),
  },
  {
    promise: 3,
    name: 'a claim does not look into arrivals',
    file: 'storedInstants',
    from: 'r.tenant_id = w.t and r.series_group = w.g\n',
    to: 'r.tenant_id = w.t and r.series_group = w.g and false\n',
    row: 'store.property',
    isDetected: hasFailure(/^series|acknowledged/),
  },
  {
    promise: 3,
    name: 'idempotency keys are ignored',
    file: 'idempotencyKeys',
    from: '      repeat(r, i)\n    }\n  return repeats',
    to: '      void [r, i]\n    }\n  return repeats',
    row: 'receipts.lost',
    isDetected: ({ doubled }) => doubled > 0,
  },
  {
    promise: 4,
    name: 'a webhook is sent before its alert is committed',
    file: 'deliver',
    from: 'start(asClaimed(each), mayPage)',
    to: 'start(asClaimed(each))',
    row: 'hub.kill',
    needsFullForm: true,
    isDetected: hasFailure(/webhooks reported an alert that was never committed/),
  },
  {
    promise: 4,
    name: 'an older reading clears a condition',
    file: 'evaluate',
    from: 'for (const point of fresh) if (point.timestamp > to) advance(',
    to: 'for (const point of fresh) advance(',
    row: 'backlog.alerts',
    isDetected: hasFailure(/alerts expected|alerts are not marked late/),
  },
  {
    promise: 5,
    name: 'a refused value fails those that share its flush',
    file: 'accept',
    from: 'for (const request of requests) await this.#flushBatch([request])',
    to: 'for (const request of requests) request.reject(error)',
    row: 'value.refused',
    isDetected: hasFailure(/a good batch was answered/),
  },
  {
    promise: 6,
    name: 'some dropped readings are not counted',
    file: 'retention',
    from: '  for (const row of rows) {\n',
    to: '  for (const row of rows.slice(1)) {\n',
    row: 'edge.buffer-full',
    isDetected: ({ lost, declared }) => lost > declared,
  },
  {
    promise: 7,
    name: 'the updater does not switch back',
    file: 'updater',
    from: "    installation.link('current', target)\n    installation.link('confirmed', target)\n",
    to: "    installation.link('confirmed', target)\n",
    row: 'update.rollout',
    isDetected: hasFailure(/should run 1.0.0|deliver nothing|until the rollout is stopped/),
  },
  {
    promise: 7,
    name: 'the updater does not flush what it unpacks',
    file: 'unpack',
    from: '    fchmodSync(to, mode)\n    fsyncSync(to)\n',
    to: '    fchmodSync(to, mode)\n',
    row: 'update.kill',
    isDetected: hasFailure(/power lost at "switched".* is rolled_back/),
  },
  {
    promise: 7,
    name: 'a release of a foreign key is installed',
    file: 'signature',
    from: "  if (!signer) throw new ReleaseRefused('it is not signed with the key that this agent trusts')\n  return signer\n",
    to: '  return signer ?? trusted\n',
    row: 'update.hostile',
    isDetected: hasFailure(/"foreign key" changed the installation/),
  },
  {
    promise: 7,
    name: 'a path of an archive may lead outside',
    file: 'tarReader',
    from: "part === '' || part === '.' || part === '..'",
    to: "part === '.'",
    row: 'update.hostile',
    isDetected: hasFailure(/"path traversal" should end as refused|"path traversal" changed the installation/),
  },
]
