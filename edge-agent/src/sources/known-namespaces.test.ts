import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OpcUaConfig } from '@haltless/protocol'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { OpcUaSource } from '../collectors/collector.ts'
import { KnownNamespaces } from './known-namespaces.ts'
import { pushedSourceIds } from './sources-file.ts'

const STANDARD = 'http://opcfoundation.org/UA/'
const FIRST = [STANDARD, 'urn:server', 'urn:acme:oven', 'urn:acme:press']
const OTHER = [STANDARD, 'urn:server', 'urn:acme:press', 'urn:acme:oven']
const SOURCE_ID = '5d6c3d0c-5e0a-4a76-9d3e-3f6b8e6a1f00'

let folder: string
let dataDir: string
let file: string
let log: { error(fields: object, message: string): void }
let complaints: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'known-namespaces-'))
  dataDir = join(folder, 'data')
  file = join(dataDir, 'namespaces.json')
  mkdirSync(dataDir)
  complaints = []
  log = { error: (_, message) => void complaints.push(message) }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = () => new KnownNamespaces(dataDir, log)
const source = (name: string, more: Partial<OpcUaSource> = {}): OpcUaSource => ({
  protocol: 'opcua',
  name,
  machine: 'hall',
  host: '192.0.2.1',
  port: 4840,
  pollIntervalSeconds: 1,
  config: OpcUaConfig.parse({}),
  ...more,
})
const find = (known: KnownNamespaces, of: OpcUaSource, uris: readonly string[]) => known.namespaceStore(of)?.found(uris)
const remembered = (known: KnownNamespaces, of: OpcUaSource) => known.namespaceStore(of)?.remembered()

describe('a source that the hub gave', () => {
  const before = source('press [5d6c3d0c]', { sourceId: SOURCE_ID })
  const after = source('oven [5d6c3d0c]', { sourceId: SOURCE_ID })

  it('keeps its namespaces when people rename it, and is accepted by its new name', async () => {
    await find(open(), before, FIRST)
    const known = open()
    known.keep([], new Set([SOURCE_ID]))
    expect(remembered(known, after)).toEqual(FIRST)
    await find(known, after, OTHER)
    expect(open().list()).toMatchObject([['oven [5d6c3d0c]', { uris: FIRST, found: OTHER }]])
    expect(known.accept('press [5d6c3d0c]')).toBeNull()
    expect(known.accept('oven [5d6c3d0c]')).toMatchObject({ uris: OTHER })
  })

  it('is forgotten only when the sources of the hub are known', async () => {
    const known = open()
    await find(known, before, FIRST)
    known.keep([], null)
    expect(remembered(open(), before)).toEqual(FIRST)
    known.keep([], new Set())
    expect(open().list()).toEqual([])
  })

  it.each([
    ['is damaged', '{"revision"'],
    ['is not there', null],
  ])('is not known while the file of sources %s', (_, content) => {
    if (content) writeFileSync(join(dataDir, 'sources.json'), content)
    expect(pushedSourceIds(dataDir, log)).toBeNull()
  })

  it('is not known while the file cannot be read; then it is, also when this agent cannot run it', () => {
    mkdirSync(join(dataDir, 'sources.json'))
    expect(pushedSourceIds(dataDir, log)).toBeNull()
    rmdirSync(join(dataDir, 'sources.json'))
    const set = { revision: 3, sources: [{ source_id: SOURCE_ID, protocol: 'of another version' }] }
    writeFileSync(join(dataDir, 'sources.json'), JSON.stringify(set))
    expect(pushedSourceIds(dataDir, log)).toEqual(new Set([SOURCE_ID]))
  })
})

describe('a collector of the settings', () => {
  it('with another name gets the namespaces of the one that is gone, where the endpoint is the same', async () => {
    const known = open()
    await find(known, source('hall'), FIRST)
    await find(known, source('yard', { host: '192.0.2.2' }), OTHER)
    known.keep([source('press hall')], null)
    expect(open().list()).toMatchObject([['press hall', { uris: FIRST }]])
  })

  it('gets none of two that are gone', async () => {
    const known = open()
    await find(known, source('one'), FIRST)
    await find(known, source('two'), OTHER)
    known.keep([source('three')], null)
    expect(open().list()).toEqual([])
  })
})

describe('a disk that fails', () => {
  it('lets nothing be accepted that is not stored', async () => {
    const known = open()
    await find(known, source('hall'), FIRST)
    await find(known, source('hall'), OTHER)
    rmSync(dataDir, { recursive: true })
    writeFileSync(dataDir, 'a file in the place of the folder')
    expect(() => known.accept('hall')).toThrow(/^Nothing was accepted: namespaces\.json cannot be written \(/)
    expect(remembered(known, source('hall'))).toEqual(FIRST)
  })

  it('that cannot read the file does not lose what it holds', async () => {
    await find(open(), source('hall'), FIRST)
    const content = readFileSync(file)
    rmSync(file)
    mkdirSync(file)
    const known = open()
    await find(known, source('hall'), OTHER)
    known.keep([], new Set())
    expect(() => known.accept('hall')).toThrow(/^Nothing was accepted: namespaces\.json cannot be read \(/)
    expect(complaints).toEqual([expect.stringMatching(/cannot be read; until they can/)])
    rmdirSync(file)
    writeFileSync(file, content)
    await find(known, source('hall'), OTHER)
    expect(open().list()).toMatchObject([['hall', { uris: FIRST, found: OTHER }]])
  })
})
