import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { shared } from './shared.ts'

const TEXT_MS = 1_000

/** What `/metrics` tells, in a registry of its own per hub. */
export interface Metrics {
  /** the exposition, at most a second old, written once for all who ask */
  text(): Promise<string>
  contentType: string
  observeRequest(method: string, path: string, status: number, seconds: number): void
  observeFlush(readings: number, seconds: number): void
  observeDelivery(channelType: string, outcome: string): void
  mqttClients: Gauge
  liveStreams: Gauge
}

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const requests = new Histogram({
    name: 'haltless_http_request_seconds',
    help: 'Duration of HTTP requests by operation',
    labelNames: ['method', 'path', 'status'],
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  })
  const readings = new Counter({
    name: 'haltless_readings_flushed_total',
    help: 'Readings committed, repeats included',
    registers,
  })
  const flushes = new Histogram({
    name: 'haltless_flush_seconds',
    help: 'Duration of ingest flushes',
    buckets: [0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  })
  const delivered = new Counter({
    name: 'haltless_delivery_attempts_total',
    help: 'Attempts to deliver alerts',
    labelNames: ['channel_type', 'outcome'],
    registers,
  })
  return {
    text: shared(() => registry.metrics(), TEXT_MS),
    contentType: registry.contentType,
    observeRequest: (method, path, status, seconds) => requests.observe({ method, path, status }, seconds),
    observeFlush: (count, seconds) => {
      readings.inc(count)
      flushes.observe(seconds)
    },
    observeDelivery: (channel_type, outcome) => delivered.inc({ channel_type, outcome }),
    mqttClients: new Gauge({ name: 'haltless_mqtt_clients', help: 'Clients of the embedded broker', registers }),
    liveStreams: new Gauge({ name: 'haltless_live_streams', help: 'Open live streams of this process', registers }),
  }
}
