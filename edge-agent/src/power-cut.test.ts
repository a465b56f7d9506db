import { X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AgentSources, OpcUaConfig } from '@haltless/protocol'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Pki } from './collectors/opcua/pki.ts'
import { damagedFiles } from './damaged-files.ts'
import { KnownNamespaces } from './sources/known-namespaces.ts'
import { readSourcesFile, writeSourcesFile } from './sources/sources-file.ts'
import { writeDurably } from './support/durable-file.ts'
import { instanceId } from './support/instance-id.ts'

const { cut } = vi.hoisted(() => ({ cut: { current: null as { record(fs: object): object } | null } }))
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>()
  const { PowerCut } = await import('../test/power-cut.ts')
  const recorder = new PowerCut()
  cut.current = recorder
  return recorder.record(fs)
})
const recorder = () => cut.current as unknown as import('../test/power-cut.ts').PowerCut

let folder: string
let complaints: string[]
const log = { error: (_fields: object, message: string) => void complaints.push(message) }
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'power-cut-'))
  complaints = []
})
afterEach(() => {
  recorder().isRecording = false
  recorder().changes.length = 0
  rmSync(folder, { recursive: true, force: true })
})

/** Every state that a power cut could leave of what `write` does, handed to `read` one by one; `isOver`: `write` had returned. */
async function afterEveryCut(write: (dir: string) => unknown, read: (dir: string, isOver: boolean) => unknown): Promise<number> {
  const source = join(folder, 'source')
  mkdirSync(source)
  recorder().folder = source
  recorder().isRecording = true
  await write(join(source, 'data'))
  recorder().isRecording = false
  const steps = recorder().changes.length
  for (let count = 0; count <= steps; count++) {
    for (const names of ['all', 'flushed'] as const) {
      const state = join(folder, `${count}-${names}`)
      recorder().restore(count, names, state)
      await read(join(state, 'data'), count === steps)
    }
  }
  return steps
}

const readOr = (file: string): string | null => (existsSync(file) ? readFileSync(file, 'utf8') : null)
const OPC_UA = {
  protocol: 'opcua' as const,
  name: 'press',
  machine: 'press',
  host: '10.20.0.5',
  port: 4840,
  pollIntervalSeconds: 1,
}
const SET = AgentSources.parse({ revision: 7, sources: [] })

describe('a power cut at any moment', () => {
  it('the model finds a file that was renamed before it was flushed', async () => {
    const seen = new Set<string | null>()
    await afterEveryCut(
      (dir) => {
        writeDurably(join(dir, 'x'), 'whole')
        writeFileSync(join(dir, 'y'), 'whole')
      },
      (dir, isOver) => isOver && seen.add(readOr(join(dir, 'y'))),
    )
    expect(seen).toEqual(new Set(['', null]))
  })

  it('leaves a file with its old content or the new one, and the new one after the write has returned', async () => {
    let last: string | null = null
    const steps = await afterEveryCut(
      (dir) => {
        writeDurably(join(dir, 'x'), 'old')
        writeDurably(join(dir, 'x'), 'new')
      },
      (dir, isOver) => {
        last = readOr(join(dir, 'x'))
        expect([null, 'old', 'new']).toContain(last)
        if (isOver) expect(last).toBe('new')
      },
    )
    expect(steps).toBeGreaterThan(10)
  })

  it('leaves the instance id as it was made, or none', async () => {
    let made = ''
    await afterEveryCut(
      (dir) => {
        made = instanceId(dir, log)
      },
      (dir, isOver) => {
        const found = instanceId(dir, log)
        if (isOver) expect(found).toBe(made)
      },
    )
    expect(complaints).toEqual([])
  })

  it('leaves the pushed sources whole, or none', async () => {
    await afterEveryCut(
      (dir) => writeSourcesFile(dir, SET),
      (dir, isOver) => {
        const found = readSourcesFile(dir, log)
        if (isOver || found) expect(found).toEqual(SET)
      },
    )
    expect(complaints).toEqual([])
  })

  it('leaves the namespaces of an OPC UA server as the first session found them, or none', async () => {
    const source = { ...OPC_UA, config: OpcUaConfig.parse({}) }
    const uris = ['http://opcfoundation.org/UA/', 'urn:acme:press']
    await afterEveryCut(
      (dir) => new KnownNamespaces(dir, log).namespaceStore(source)?.found(uris),
      (dir, isOver) => {
        const found = new KnownNamespaces(dir, log).namespaceStore(source)?.remembered() ?? null
        if (isOver || found) expect(found).toEqual(uris)
      },
    )
    expect(complaints).toEqual([])
  })

  it('leaves the OPC UA certificate with its key, or neither, and a trusted certificate whole', async () => {
    const server = new Pki(join(folder, 'server'), log)
    const { thumbprint, certificateFile } = await server.own()
    const der = new X509Certificate(readFileSync(certificateFile)).raw
    let own = ''
    await afterEveryCut(
      async (dir) => {
        const pki = new Pki(dir, log)
        own = (await pki.own()).thumbprint
        await pki.remember(der)
        await pki.trust(thumbprint)
      },
      async (dir, isOver) => {
        if (!existsSync(dir)) return expect(isOver).toBe(false)
        const pki = new Pki(dir, log)
        const isMade = existsSync(join(dir, 'own'))
        // making one takes a while, so only what is there is read
        if (isMade || isOver) expect((await pki.own()).thumbprint).toBe(own)
        for (const each of await pki.list()) expect(each.thumbprint).toBe(thumbprint)
        if (isOver) expect(await pki.isTrusted(der)).toBe(true)
      },
    )
    expect(complaints).toEqual([])
  }, 60_000)
})

describe('files that an older agent left empty in a power cut', () => {
  it('the OPC UA certificate is set aside, made anew and reported', async () => {
    const dir = join(folder, 'pki')
    const before = await new Pki(dir, log).own()
    for (const damage of ['', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n']) {
      writeFileSync(before.certificateFile, damage)
      const { thumbprint } = await new Pki(dir, log).own()
      expect(thumbprint).toMatch(/^[0-9A-F]{40}$/)
      expect(thumbprint).not.toBe(before.thumbprint)
      expect(complaints.pop()).toMatch(/^own: the OPC UA certificate or its key is damaged; a new one is made/)
    }
    writeFileSync(before.privateKeyFile, '')
    await new Pki(dir, log).own()
    expect(damagedFiles(folder).map(({ name }) => name.replace(/\.damaged.*/, ''))).toEqual(['pki/own', 'pki/own', 'pki/own'])
    expect(damagedFiles(folder)[0]?.consequence).toMatch(/every server has to trust/)
  })

  it('the shared identity of hubs is restored, also when only the key is damaged', async () => {
    const dir = join(folder, 'pki')
    const identity = await new Pki(join(folder, 'other'), log).identity()
    await new Pki(dir, log).become(identity)
    writeFileSync(join(dir, 'own', 'private_key.pem'), '')
    const pki = new Pki(dir, log)
    await pki.become(identity)
    expect(await pki.identity()).toEqual(identity)
  })

  it('a trusted certificate is set aside and not trusted again by itself; one that is being copied in is left alone', async () => {
    const dir = join(folder, 'pki')
    const server = await new Pki(join(folder, 'server'), log).own()
    const der = new X509Certificate(readFileSync(server.certificateFile)).raw
    const pki = new Pki(dir, log)
    await pki.remember(der)
    await pki.trust(server.thumbprint)
    const file = join(dir, 'trusted', `${server.thumbprint}.pem`)
    writeFileSync(file, '')
    expect(await pki.isTrusted(der)).toBe(false)
    expect(complaints).toEqual([])
    expect(existsSync(file)).toBe(true)
    utimesSync(file, new Date(0), new Date(0))
    expect(await pki.remember(der)).toMatchObject({ isTrusted: false })
    expect(complaints).toEqual([expect.stringMatching(/certificate of a server is damaged and not trusted any more/)])
    expect(damagedFiles(folder)).toEqual([
      { name: expect.stringMatching(/^pki\/trusted\//), consequence: expect.stringMatching(/trust it again/) },
    ])
    expect(await pki.trust(server.thumbprint)).toMatchObject({ isTrusted: true })
  })

  it('the instance id, the pushed sources and the namespaces are set aside and reported; the id is made anew', () => {
    writeFileSync(join(folder, 'instance-id'), '')
    writeFileSync(join(folder, 'sources.json'), '{"revision"')
    writeFileSync(join(folder, 'namespaces.json'), '{"press":{}}')
    const made = instanceId(folder, log)
    expect(instanceId(folder, log)).toBe(made)
    expect(readSourcesFile(folder, log)).toBeNull()
    expect(new KnownNamespaces(folder, log).list()).toEqual([])
    expect(complaints).toEqual([
      'instance-id: the file is damaged; the agent has a new instance id',
      'sources.json: the file is damaged; the hub sends its polling sources again',
      'namespaces.json: the file is damaged; the namespaces of the next OPC UA sessions count as the first ones',
    ])
    expect(damagedFiles(folder)).toHaveLength(3)
    expect(readFileSync(join(folder, damagedFiles(folder)[2]?.name as string), 'utf8')).toBe('{"revision"')
  })
})

it('no other part of the agent writes files by itself', () => {
  const source = join(import.meta.dirname, '.')
  const writers = readdirSync(source, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts') && !name.startsWith('plant'))
    .filter((name) =>
      /\b(writeFile|writeSync|writeFileSync|appendFile\w*|createWriteStream)\b/.test(readFileSync(join(source, name), 'utf8')),
    )
  // the status file is replaced every few seconds, and the reserve holds noise; archives of updates are compared with their SHA-256; `buffer export` writes for people, and
  // `doctor` measures the disk
  expect(writers.sort()).toEqual([
    'buffer/disk-reserve.ts',
    'commands/buffer-command.ts',
    'commands/doctor.ts',
    'status-file.ts',
    'support/durable-file.ts',
    'updates/download.ts',
    'updates/unpack.ts',
  ])
})
