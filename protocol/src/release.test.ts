import { describe, expect, it } from 'vitest'
import { compareVersions, fileToInstall, type ReleaseManifest, ReleaseRefused, readRelease } from './release.ts'

const NOW = Date.parse('2026-11-24T00:00:00Z')
const INSTALLED = { version: '1.2.0', platform: 'linux-amd64', sequence: 7 }

const manifest = (over: Partial<ReleaseManifest> = {}): ReleaseManifest => ({
  format: 1,
  version: '1.3.0',
  sequence: 8,
  min_source_version: '1.0.0',
  issued_at: '2026-11-23T00:00:00Z',
  expires_at: '2027-11-23T00:00:00Z',
  files: [{ platform: 'linux-amd64', name: 'haltless-agent-1.3.0-linux-amd64.tar.zst', size: 10, sha256: 'a'.repeat(64) }],
  ...over,
})
describe('a manifest', () => {
  it.each([
    ['null', null],
    ['another shape', { manifest: '{}' }],
    ['no JSON', { manifest: '{{', signature: 'AAAA', keys: [] }],
    ['a path in the name of a file', change({ files: [{ ...manifest().files[0], name: '../x.tar.zst' }] })],
    ['a version with a path', change({ version: '../../1.0.0' })],
    ['a size beyond the limit', change({ files: [{ ...manifest().files[0], size: 2 ** 40 }] })],
    ['a newer format', change({ format: 2 })],
  ])('with %s is refused in words', (_, given) => {
    expect(() => readRelease(given)).toThrow(ReleaseRefused)
  })

  function change(over: object) {
    return { manifest: JSON.stringify({ ...manifest(), ...over }), signature: 'AAAA', keys: [] }
  }
})

describe('a release replaces the installed version', () => {
  it('with its file for this platform', () => {
    expect(fileToInstall(manifest(), INSTALLED, NOW).name).toBe('haltless-agent-1.3.0-linux-amd64.tar.zst')
  })

  it.each([
    ['the same version', { version: '1.2.0' }, 'not newer'],
    ['an older one', { version: '1.1.9' }, 'not newer'],
    ['a release candidate of the same one', { version: '1.2.0-rc.1' }, 'not newer'],
    ['a sequence number that was used', { sequence: 7 }, 'not above 7'],
    ['a version that needs a newer one before', { min_source_version: '1.2.1' }, 'needs version 1.2.1'],
    ['one that expired', { expires_at: new Date(NOW).toISOString() }, 'expired'],
    ['one for other platforms', { files: [{ ...manifest().files[0], platform: 'linux-arm64' }] }, 'no archive for linux-amd64'],
  ] as [string, Partial<ReleaseManifest>, string][])('but not %s', (_, over, words) => {
    expect(() => fileToInstall(manifest(over), INSTALLED, NOW)).toThrow(words)
  })

  it('until the moment it expires', () => {
    const { expires_at } = manifest()
    expect(() => fileToInstall(manifest(), INSTALLED, Date.parse(expires_at) - 1)).not.toThrow()
  })
})

it('versions have the order of semver.org', () => {
  const order =
    '1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1 1.0.0 1.0.1 1.2.0 1.10.0 2.0.0'
  const sorted = order.split(' ')
  expect(sorted.toReversed().toSorted(compareVersions)).toEqual(sorted)
  expect(compareVersions('1.2.3', '1.2.3')).toBe(0)
  expect(() => compareVersions('1.2', '1.2.3')).toThrow(RangeError)
})
