import { readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { type ConfigError, loadConfig, Settings } from './config.ts'

const key = 'k'.repeat(32)
const faultsOf = (env: Record<string, string>): string[] => {
  try {
    loadConfig(env)
    return []
  } catch (error) {
    return (error as ConfigError).faults
  }
}

describe('the configuration', () => {
  it('needs nothing, and resolves a relative DATA_DIR against the project', () => {
    const config = loadConfig({})
    expect(config).toMatchObject({
      port: 8080,
      mqttPort: 1883,
      databaseUrl: undefined,
      rateLimitScheme: 'flat',
      machineOfflineAfterSeconds: 600,
    })
    expect(config.dataDir).toBe(path.resolve(import.meta.dirname, '../../data'))
    expect(loadConfig({ DATA_DIR: '/srv/haltless' }).dataDir).toBe('/srv/haltless')
  })
  it('archives into a directory, or by commands beside it that name the file and its path', () => {
    expect(loadConfig({}).walArchive).toBe(undefined)
    const none = { archiveCommand: undefined, restoreCommand: undefined }
    expect(loadConfig({ WAL_ARCHIVE: '/backup', DATA_DIR: '/data' }).walArchive).toEqual({
      folder: '/backup',
      ...none,
      claimFile: '/data/wal-archive',
    })
    const [put, get] = ['put "%p" %f', 'get %f "%p"']
    const both = { WAL_ARCHIVE_COMMAND: put, WAL_RESTORE_COMMAND: get }
    expect(loadConfig({ WAL_ARCHIVE: '/backup', ...both }).walArchive).toMatchObject({ archiveCommand: put, restoreCommand: get })
    expect(faultsOf(both).join()).toMatch(/^WAL_ARCHIVE: is required/)
    expect(faultsOf({ WAL_ARCHIVE: '/backup', WAL_ARCHIVE_COMMAND: put })).toEqual([
      'WAL_RESTORE_COMMAND: is required beside WAL_ARCHIVE_COMMAND',
    ])
    expect(faultsOf({ WAL_ARCHIVE: '/backup', WAL_RESTORE_COMMAND: 'get %f' }).join()).toMatch(
      /^WAL_RESTORE_COMMAND: must contain/,
    )
  })
  it('keeps hours no shorter than minutes, and minutes no shorter than readings', () => {
    expect(faultsOf({ RAW_RETENTION_DAYS: '400' })).toEqual([
      'MINUTE_RETENTION_DAYS: must be at least RAW_RETENTION_DAYS, or 0 for ever',
    ])
    expect(faultsOf({ RAW_RETENTION_DAYS: '0', MINUTE_RETENTION_DAYS: '0' })).toEqual([])
    expect(faultsOf({ HOUR_RETENTION_DAYS: '364' })).toHaveLength(1)
    expect(faultsOf({ HOUR_RETENTION_DAYS: '365' })).toEqual([])
  })
  it('tells all faults at once, by name', () => {
    const faults = faultsOf({
      PORT: '70000',
      DATABASE_URL: 'mysql://x',
      HUB_ROLES: 'api,cook',
      OUTBOUND_ALLOW: '10.0.0.0/33',
      RATE_LIMIT_SCHEME: 'none',
      TLS_CERT: '/x',
    })
    const names = faults.map((fault) => fault.split(':')[0])
    expect(names).toEqual(
      expect.arrayContaining([
        'PORT',
        'DATABASE_URL',
        'HUB_ROLES',
        'OUTBOUND_ALLOW',
        'RATE_LIMIT_SCHEME',
        'TLS_KEY',
        'SECRET_KEY',
      ]),
    )
  })
  it('asks for SECRET_KEY with DATABASE_URL, for DATABASE_URL when roles are split, and for TRUSTED_PROXIES with PROXY_PROTOCOL', () => {
    expect(faultsOf({ DATABASE_URL: 'postgres://a@b/c' })[0]).toContain('SECRET_KEY')
    expect(faultsOf({ HUB_ROLES: 'worker' })).toEqual([expect.stringMatching(/^DATABASE_URL/)])
    for (const roles of ['worker', 'broker', 'api,broker'])
      expect(faultsOf({ DATABASE_URL: 'postgres://a@b/c', SECRET_KEY: key, HUB_ROLES: roles })).toEqual([])
    expect(faultsOf({ PROXY_PROTOCOL: 'on' })).toEqual([expect.stringMatching(/^TRUSTED_PROXIES/)])
    expect(faultsOf({ PROXY_PROTOCOL: 'on', TRUSTED_PROXIES: '10.0.0.2' })).toEqual([])
  })
  it('prints no secret', () => {
    const config = loadConfig({
      DATABASE_URL: 'postgres://a:hidden@b/c',
      SECRET_KEY: key,
      SMTP_URL: 'smtp://u:hidden@m',
      MQTT_URL: 'mqtt://b',
      MQTT_PASSWORD: 'hidden',
    })
    expect(JSON.stringify(config)).not.toMatch(/hidden|kkkk/)
  })
})

describe('.env.example', () => {
  const lines = readFileSync(path.resolve(import.meta.dirname, '../../.env.example'), 'utf8').split('\n')
  const entries = lines.map((line) => /^#? ?([A-Z][A-Z0-9_]+)=(.*)$/.exec(line)).filter((match) => match !== null)

  it('explains every setting, and no other', () => {
    expect(entries.map((match) => match[1]).sort()).toEqual(Object.keys(Settings.shape).sort())
  })
  it('loads as it stands, with every line uncommented', () => {
    expect(faultsOf(Object.fromEntries(entries.map((match) => [match[1] as string, match[2] as string])))).toEqual([])
  })
})
