import { once } from 'node:events'
import { newClient } from 'sparkplug-client'

type Payload = Parameters<ReturnType<typeof newClient>['publishNodeData']>[0]
type Metrics = NonNullable<Payload['metrics']>

/** A value of a metric by its name, with its alias. */
export const metric = (name: string, value: number | boolean | string | null, more: object = {}): Metrics[0] =>
  ({
    name,
    value,
    type: typeof value === 'boolean' ? 'Boolean' : typeof value === 'string' ? 'String' : 'Double',
    ...more,
  }) as Metrics[0]

/** An edge node of the library of Eclipse Tahu, with devices. */
export class SparkplugPublisher {
  readonly #client: ReturnType<typeof newClient>
  /** what its births hold, by device; '' is the node */
  readonly births: Map<string, Metrics>
  /** how far its clock is ahead, ms */
  aheadMs = 0
  /** requests of rebirths that came */
  rebirths = 0

  /** Connects, and publishes its births. */
  constructor(port: number, group: string, node: string, births: Record<string, Metrics>) {
    this.births = new Map(Object.entries(births))
    this.#client = newClient({
      serverUrl: `mqtt://127.0.0.1:${port}`,
      username: '',
      password: '',
      groupId: group,
      edgeNode: node,
      clientId: `node-${node}-${crypto.randomUUID().slice(0, 8)}`,
      version: 'spBv1.0',
      publishDeath: true,
    })
    this.#client.on('birth', () => this.birth())
    this.#client.on('ncmd', ({ metrics }) => {
      if (!metrics?.some(({ name, value }) => name === 'Node Control/Rebirth' && value === true)) return
      this.rebirths++
      this.birth()
    })
    this.#client.on('error', () => {})
  }

  #now(): number {
    return Date.now() + this.aheadMs
  }

  async connected(): Promise<void> {
    await once(this.#client, 'birth')
  }

  birth(): void {
    const timestamp = this.#now()
    this.#client.publishNodeBirth({ timestamp, metrics: [...(this.births.get('') ?? [])] })
    for (const [device, metrics] of this.births)
      if (device !== '') this.#client.publishDeviceBirth(device, { timestamp, metrics: [...metrics] })
  }

  /** @param device '' for the node itself */
  data(device: string, metrics: Metrics, more: object = {}): void {
    const payload = { timestamp: this.#now(), metrics: [...metrics], ...more }
    if (device === '') this.#client.publishNodeData(payload)
    else this.#client.publishDeviceData(device, payload)
  }

  /** As {@link data} of the node itself, compressed. */
  compressed(metrics: Metrics): void {
    this.#client.publishNodeData({ timestamp: Date.now(), metrics: [...metrics] }, { compress: true })
  }

  deviceDeath(device: string): void {
    this.#client.publishDeviceDeath(device, { timestamp: Date.now() })
  }

  /** Uses up sequence numbers, as if messages had been lost. */
  lose(count: number): void {
    const client = this.#client as unknown as { incrementSeqNum(): number }
    for (let i = 0; i < count; i++) client.incrementSeqNum()
  }

  /** Ends it without a word: the broker publishes its will. */
  die(): void {
    const { client } = this.#client as unknown as { client: { stream: { destroy(): void }; end(force: boolean): void } }
    client.end(true)
    client.stream.destroy()
  }

  /** Ends it as its operator does: it publishes its death. */
  stop(): void {
    this.#client.stop()
  }
}
