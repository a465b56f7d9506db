import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { CollectorSource, NamespaceStore, OpcUaSource } from '../collectors/collector.ts'
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
  /** of a source that the hub gave, which is kept by its id because people rename it; absent: the key is the name */
  name: z.string().optional(),
})
/** The namespaces of one collector. */
export type Known = z.infer<typeof Known>
const KnownFile = z.record(z.string(), Known)

const NAMESPACES_FILE = 'namespaces.json'

const endpointOf = ({ host, port, config }: OpcUaSource): string =>
  `opc.tcp://${host.toLowerCase()}:${port}${config.endpoint_path.replace(/^\/*(?=.)/, '/')}`

/**
 * The namespaces of OPC UA servers that the node ids of each collector were written for. Kept on disk: by the name of a collector of the
 * settings, and by the id of a source that the hub gave.
 */
export class KnownNamespaces {
  readonly #file: string
  readonly #log: DamageLog
  readonly #known = new Map<string, Known>()
  /** the file could not be read: it may hold more than this object, and must not be overwritten */
  #isUnread = true
  #fault = ''
  #isWritten = true

  /** A damaged file is set aside: the namespaces of the next sessions count as the first ones. */
  constructor(dataDir: string, log: DamageLog) {
    this.#file = join(dataDir, NAMESPACES_FILE)
    this.#log = log
    this.#entries()
  }

  /** For a collector of this source; undefined where its protocol has no namespaces. */
  namespaceStore(source: CollectorSource): NamespaceStore | undefined {
    if (source.protocol !== 'opcua') return undefined
    const endpoint = endpointOf(source)
    const key = source.sourceId ?? source.name
    const known = () => {
      const entry = this.#entries().get(key)
      return entry?.endpoint === endpoint ? entry : null
    }
    return {
      remembered: () => known()?.uris ?? null,
      found: async (found) => {
        const before = known()
        const { remembered, isOther } = compareNamespaces(before?.uris ?? null, found)
        const name = source.sourceId === undefined ? {} : { name: source.name }
        const entry = { endpoint, uris: [...remembered], found: isOther ? [...found] : null, ...name }
        if (this.#isWritten && JSON.stringify(entry) === JSON.stringify(before)) return
        this.#known.set(key, entry)
        this.#tryToWrite()
      },
    }
  }

  /** By the name of each collector. */
  list(): [collector: string, known: Known][] {
    return Array.from(this.#entries(), ([key, known]) => [known.name ?? key, known])
  }

  /**
   * From now on the node ids of a collector mean what the server had last. @returns null when that is no other array
   * @throws Error in plain words when it cannot be stored; then nothing has changed
   */
  accept(collector: string): Known | null {
    const [key, known] = [...this.#entries()].find(([id, { name }]) => (name ?? id) === collector) ?? []
    if (this.#isUnread) throw new Error(`Nothing was accepted: ${NAMESPACES_FILE} cannot be read (${this.#fault}).`)
    if (key === undefined || !known?.found) return null
    const accepted = { ...known, uris: known.found, found: null }
    this.#known.set(key, accepted)
    try {
      this.#write()
    } catch (error) {
      this.#known.set(key, known)
      throw new Error(`Nothing was accepted: ${NAMESPACES_FILE} cannot be written (${shortError(error)}).`)
    }
    return accepted
  }

  /**
   * Forgets collectors that are gone. A collector with a new name gets what the one that is gone had, where its endpoint is the same.
   * @param sourceIds of the sources that the hub gave; null: not known now, so all of them stay
   */
  keep(collectors: readonly CollectorSource[], sourceIds: ReadonlySet<string> | null): void {
    const names = new Set(collectors.map(({ name }) => name))
    const gone = [...this.#entries()].filter(([key, { name }]) =>
      name === undefined ? !names.has(key) : sourceIds !== null && !sourceIds.has(key),
    )
    if (this.#isUnread || gone.length === 0) return
    for (const source of collectors) {
      if (source.protocol !== 'opcua' || this.#known.has(source.name)) continue
      const former = gone.filter(([, { name, endpoint }]) => name === undefined && endpoint === endpointOf(source))
      if (former.length === 1 && former[0]) this.#known.set(source.name, former[0][1])
    }
    for (const [key] of gone) this.#known.delete(key)
    this.#tryToWrite()
  }

  /** What is known, with the file as soon as it can be read: what it holds is older than what sessions found meanwhile. */
  #entries(): ReadonlyMap<string, Known> {
    if (!this.#isUnread) return this.#known
    try {
      for (const [key, known] of Object.entries(readKnown(this.#file, this.#log))) this.#known.set(key, known)
      this.#isUnread = false
    } catch (error) {
      const fault = shortError(error)
      if (fault !== this.#fault)
        this.#log.error(
          { error: fault },
          'the namespaces of OPC UA servers cannot be read; until they can, those of the next sessions count, and are not stored',
        )
      this.#fault = fault
    }
    return this.#known
  }

  /** A disk that accepts no write stops no collector: it is tried again with the next session. */
  #tryToWrite(): void {
    try {
      this.#write()
    } catch (error) {
      this.#log.error({ error: shortError(error) }, 'the namespaces of OPC UA servers could not be written')
    }
  }

  /** @throws Error of the file system */
  #write(): void {
    this.#isWritten = false
    if (this.#isUnread) return
    writeDurably(this.#file, JSON.stringify(Object.fromEntries(this.#known)))
    this.#isWritten = true
  }
}

/** @throws Error of the file system when the file is there and cannot be read, or is damaged and cannot be set aside */
function readKnown(file: string, log: DamageLog): Record<string, Known> {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw error
  }
  try {
    return KnownFile.parse(JSON.parse(text))
  } catch {
    quarantine(file, 'the file is damaged; the namespaces of the next OPC UA sessions count as the first ones', log)
    return {}
  }
}
