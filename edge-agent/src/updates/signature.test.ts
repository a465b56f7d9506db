import { generateKeyPairSync } from 'node:crypto'
import { type ReleaseManifest, ReleaseRefused, readRelease } from '@haltless/protocol'
import { describe, expect, it } from 'vitest'
import { endorseKey, readPublicKey, signRelease, verifySignature } from './signature.ts'

const pair = () => generateKeyPairSync('ed25519')
const [first, second, third, foreign] = [pair(), pair(), pair(), pair()]
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
const link = (next: typeof first, present: typeof first) => endorseKey(next.publicKey, present.privateKey)

describe('the signature of a release', () => {
  it('is accepted with the installed key', () => {
    const release = signRelease(manifest(), first.privateKey, [])
    expect(verifySignature(release, first.publicKey)).toBe(first.publicKey)
    expect(readRelease(JSON.parse(JSON.stringify(release))).manifest).toEqual(manifest())
  })

  it('is accepted with keys that follow from the installed one, however many, and from the middle of the chain', () => {
    const keys = [link(second, first), link(third, second)]
    const release = signRelease(manifest(), third.privateKey, keys)
    for (const { publicKey } of [first, second, third])
      expect(verifySignature(release, publicKey).equals(third.publicKey)).toBe(true)
  })

  it.each([
    ['a foreign key', signRelease(manifest(), foreign.privateKey, []), first],
    ['a key that a foreign one signed', signRelease(manifest(), second.privateKey, [link(second, foreign)]), first],
    ['a chain with a missing link', signRelease(manifest(), third.privateKey, [link(third, second)]), first],
    ['a chain in the wrong order', signRelease(manifest(), third.privateKey, [link(third, second), link(second, first)]), first],
    ['an older key than the installed one', signRelease(manifest(), first.privateKey, [link(second, first)]), second],
    ['a changed manifest', { ...signRelease(manifest(), first.privateKey, []), manifest: JSON.stringify(manifest()) }, first],
    ['an empty signature', { ...signRelease(manifest(), first.privateKey, []), signature: 'AAAA' }, first],
  ])('is refused with %s', (_, release, trusted) => {
    expect(() => verifySignature(release, trusted.publicKey)).toThrow('not signed with the key that this agent trusts')
  })

  it('of a key is no signature of a release, and the other way round', () => {
    const der = second.publicKey.export({ type: 'spki', format: 'der' })
    const { signature } = link(second, first)
    expect(() => verifySignature({ manifest: der.toString('latin1'), signature, keys: [] }, first.publicKey)).toThrow(
      ReleaseRefused,
    )
  })

  it('is made with Ed25519 only', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 })
    expect(() => signRelease(manifest(), rsa.privateKey, [])).toThrow('no Ed25519 key')
    const pem = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString()
    expect(() => readPublicKey(pem)).toThrow('no Ed25519 key')
    expect(() => readPublicKey('nonsense')).toThrow('cannot be read')
  })
})
