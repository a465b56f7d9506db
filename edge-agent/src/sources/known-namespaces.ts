import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { CollectorSource, NamespaceMemory } from '../collectors/collector.ts'
import { compareNamespaces } from '../collectors/opcua/namespaces.ts'
import { type DamageLog, quarantine, writeDurably } from '../support/durable-file.ts'
import { shortError } from '../support/short-error.ts'

const Known = z.object({
  /** another server, another numbering */
  endpoint: z.string(),
  /** the NamespaceArray that `ns=2` in the settings means */
  uris: z.array(z.string()),
  /** what the server had at the newest session, where that is another one; null: it is not */
  found: z.array(z.string()).nullable(),
})
/** The namespaces of one collector. */
export type Known = z.infer<typeof Known>
const KnownFile = z.record(z.string(), Known)

const NAMESPACES_FILE = 'namespaces.json'

const endpointOf = ({ host, port, config }: Extract<CollectorSource, { protocol: 'opcua' }>): string =>
  `opc.tcp://${host.toLowerCase()}:${port}${config.endpoint_path.replace(/^\/*(?=.)/, '/')}`

/** The namespaces of OPC UA servers that the node ids of each collector were written for. Kept on disk, by the name of the collector. */
export class KnownNamespaces {
  readonly #file: string
  readonly #log: DamageLog
  readonly #known: Map<string, Known>
  #isWritten = true

  /** A damaged file is set aside: the namespaces of the next sessions count as the first ones. */
  constructor(dataDir: string, log: DamageLog) {
    this.#file = join(dataDir, NAMESPACES_FILE)
    this.#log = log
    this.#known = new Map(Object.entries(readKnown(this.#file, log)))
  }

  /** For a collector of this source; undefined where its protocol has no namespaces. */
  memoryOf(source: CollectorSource): NamespaceMemory | undefined {
    if (source.protocol !== 'opcua') return undefined
    const endpoint = endpointOf(source)
    const known = () => {
      const entry = this.#known.get(source.name)
      return entry?.endpoint === endpoint ? entry : null
    }
    return {
      remembered: () => known()?.uris ?? null,
      found: async (found) => {
        const before = known()
        const { remembered, isOther } = compareNamespaces(before?.uris ?? null, found)
        const entry = { endpoint, uris: [...remembered], found: isOther ? [...found] : null }
        if (this.#isWritten && JSON.stringify(entry) === JSON.stringify(before)) return
        this.#known.set(source.name, entry)
        this.#write()
      },
    }
  }

  list(): [collector: string, known: Known][] {
    return [...this.#known]
  }

  /** From now on the node ids of a collector mean what the server had last. @returns null when that is no other array */
  accept(collector: string): Known | null {
    const known = this.#known.get(collector)
    if (!known?.found) return null
    const accepted = { ...known, uris: known.found, found: null }
    this.#known.set(collector, accepted)
    this.#write()
    return accepted
  }

  /** Forgets collectors that are gone or have another name. */
  keep(collectors: ReadonlySet<string>): void {
    const gone = [...this.#known.keys()].filter((name) => !collectors.has(name))
    for (const name of gone) this.#known.delete(name)
    if (gone.length > 0) this.#write()
  }

  /** A disk that accepts no write stops no collector: it is tried again with the next session. */
  #write(): void {
    try {
      writeDurably(this.#file, JSON.stringify(Object.fromEntries(this.#known)))
      this.#isWritten = true
    } catch (error) {
      this.#isWritten = false
      this.#log.error({ error: shortError(error) }, 'the namespaces of OPC UA servers could not be written')
    }
  }
}

function readKnown(file: string, log: DamageLog): Record<string, Known> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    // the agent runs also where a file of it cannot be read
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
      log.error(
        { error: shortError(error) },
        'the namespaces of OPC UA servers cannot be read; those of the next sessions count as the first ones',
      )
    return {}
  }
  try {
    return KnownFile.parse(JSON.parse(text))
  } catch {
    quarantine(file, 'the file is damaged; the namespaces of the next OPC UA sessions count as the first ones', log)
    return {}
  }
}
