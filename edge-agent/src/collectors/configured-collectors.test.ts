import { ModbusConfig } from '@haltless/protocol'
import { expect, it } from 'vitest'
import type { Collector, CollectorSource } from './collector.ts'
import { ConfiguredCollectors } from './configured-collectors.ts'

const source = (port: number): CollectorSource => ({
  protocol: 'modbus',
  name: 'press',
  machine: 'press',
  host: '192.0.2.1',
  port,
  pollIntervalSeconds: 1,
  config: ModbusConfig.parse({ registers: [] }),
})

it.each([
  ['begun again', (collectors: ConfiguredCollectors) => collectors.restart('press')],
  ['changed', (collectors: ConfiguredCollectors) => collectors.apply([source(503)])],
])('a collector that is being %s does not run after the agent has stopped', async (_, change) => {
  const events: string[] = []
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  const collectors = new ConfiguredCollectors([source(502)], (made) => {
    const collector = {
      name: made.name,
      start: () => void events.push('start'),
      stop: () => {
        events.push('stop')
        return ended
      },
    }
    return collector as unknown as Collector
  })
  collectors.start()
  const changing = change(collectors)
  const stopping = collectors.stop()
  end()
  await Promise.all([changing, stopping])
  expect(events.filter((event) => event === 'start')).toHaveLength(1)
})
