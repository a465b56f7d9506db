import { AgentNotReachable, askAgent } from '../local/local-client.ts'
import { type Known, KnownNamespaces } from '../sources/known-namespaces.ts'
import { lockDataDir } from '../support/data-dir-lock.ts'
import type { DamageLog } from '../support/durable-file.ts'
import { alignColumns } from './output.ts'

/** The namespaces of each OPC UA collector, as its node ids mean them and as its server has them now. */
export function formatNamespaces(
  all: readonly [collector: string, known: Known][],
  acceptCommand: (collector: string) => string,
) {
  if (all.length === 0) return 'No OPC UA collector with node ids such as ns=2;s=... has had a session yet.'
  return all
    .map(([collector, { endpoint, uris, found }]) => {
      const rows = uris.map((uri, i) => [`ns=${i}`, uri, found === null ? '' : indexNow(found.indexOf(uri), i)])
      const added = (found ?? []).flatMap((uri, i) => (uris.includes(uri) ? [] : [['-', uri, `new, ns=${i}`]]))
      const advice = found === null ? [] : [`  Accept what the server has now: ${acceptCommand(collector)}`]
      return [`${collector}  ${endpoint}`, alignColumns([...rows, ...added], '  '), ...advice].join('\n')
    })
    .join('\n\n')
}

function indexNow(now: number, before: number): string {
  if (now < 0) return 'GONE: its tags are refused'
  return now === before ? '' : `now ns=${now}`
}

/** Accepts what the server of a collector has now, in the running agent or on disk. @throws Error in plain words */
export async function acceptNamespaces(dataDir: string, collector: string, log: DamageLog): Promise<string> {
  const isRunning = await askAgent(dataDir, 'POST', `/namespaces/${encodeURIComponent(collector)}/accept`).then(
    () => true,
    (error) => {
      if (error instanceof AgentNotReachable) return false
      throw error
    },
  )
  if (isRunning) return `Accepted: ${collector} begins a new session with the namespaces that its server has now.`
  const lock = lockDataDir(dataDir, 0)
  try {
    if (!new KnownNamespaces(dataDir, log).accept(collector)) throw new Error(nothingToAccept(collector))
  } finally {
    lock.release()
  }
  return `Accepted: ${collector} uses the namespaces that its server had at its newest session.`
}

const nothingToAccept = (collector: string): string =>
  `There is nothing to accept: no server of a collector ${collector} has had other namespaces than those that are remembered.`
