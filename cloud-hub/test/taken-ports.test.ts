import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadConfig } from '../src/config.ts'
import { startHub } from '../src/hub.ts'
import { createLogger } from '../src/support/logger.ts'
import { holdPort } from './processes.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'haltless-ports-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

it.each([
  [
    'PORT',
    (port: number) => `Port ${port} is in use by another program. Stop that program, or set another port: PORT=${port + 1}`,
  ],
  [
    'MQTT_PORT',
    (port: number) => `Port ${port} is in use by another program. Stop that program, or set another port: MQTT_PORT=${port + 1}`,
  ],
  ['METRICS_LISTEN', () => 'METRICS_LISTEN: the hub cannot listen there (EADDRINUSE); name another address and port'],
])('a hub with a %s in use creates nothing, and names the setting', async (setting, message) => {
  const { port, release } = await holdPort()
  const dataDir = path.join(folder, setting)
  const free = { HOST: '127.0.0.1', PORT: '0', MQTT_PORT: '0', DATA_DIR: dataDir }
  const config = loadConfig({ ...free, [setting]: setting === 'METRICS_LISTEN' ? `127.0.0.1:${port}` : String(port) })
  try {
    await expect(startHub(config, createLogger('silent'))).rejects.toThrow(message(port))
  } finally {
    await release()
  }
  expect(existsSync(dataDir)).toBe(false)
})

it('an address that this computer does not have is named by its setting, and creates nothing', async () => {
  const dataDir = path.join(folder, 'HOST')
  // an address for documentation (RFC 5737), which no computer has
  const config = loadConfig({ HOST: '192.0.2.1', PORT: '0', MQTT_PORT: '0', DATA_DIR: dataDir })
  await expect(startHub(config, createLogger('silent'))).rejects.toThrow('HOST: this computer does not have that address')
  expect(existsSync(dataDir)).toBe(false)
})
