import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { format, inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '@haltless/edge-agent/secret'
import { createSecretBox, DecryptionError, sealedPrefix } from './secret-box.ts'
import { loadOrCreateSecretKey } from './secret-key.ts'

/** key kk...k, context channel:t1:c1:token */
const EARLIER = 'ATdp5N7oxWF1ulspl967SgMjDFnOvjG9kTk-ROuS1AhY7VwX6xKMWMOQdGKoMOLiH6YxrlpzXXF_sGBH'

describe('a secret', () => {
  test('shows itself as *** wherever it is printed', () => {
    const secret = new Secret('swordfish')
    const shown = [
      `${secret}`,
      String(secret),
      JSON.stringify({ secret }),
      inspect({ deep: [secret] }),
      format('%s %o %j', secret, secret, secret),
    ]
    shown.push(JSON.stringify(Object.entries(secret)), inspect(structuredClone({ ...secret })))
    for (const text of shown) expect(text).not.toContain('swordfish')
    expect(JSON.stringify({ secret })).toBe('{"secret":"***"}')
    expect(secret.reveal()).toBe('swordfish')
  })
})

describe('a secret box with two keys', () => {
  const [former, next] = [new Secret('k'.repeat(32)), new Secret('n'.repeat(32))] as const
  const box = () => createSecretBox([former, next])
  const context = 'channel:t1:c1:token'

  test('decrypts what either encrypted, and encrypts with the first until it follows', () => {
    const both = box()
    const [old, fresh] = [createSecretBox([former]), createSecretBox([next])]
    expect(old.open(both.seal('a', context), context)).toBe('a')
    both.follow(old.fingerprint, fresh.fingerprint)
    expect(fresh.open(both.seal('b', context), context)).toBe('b')
    expect([old, fresh].map((one) => both.open(one.seal('c', context), context))).toEqual(['c', 'c'])
    expect(both.seal('d', context).startsWith(sealedPrefix(next))).toBe(true)
  })

  test('hashes with the key of the database, and recognises hashes of every key', () => {
    const [old, fresh] = [createSecretBox([former]), createSecretBox([next])]
    expect(box().mac('code', context)).toBe(old.mac('code', context))
    expect(box().macs('code', context)).toEqual([old.mac('code', context), fresh.mac('code', context)])
    fresh.addMacKey(box().macKeyOf(old.fingerprint))
    fresh.addMacKey(box().macKeyOf(old.fingerprint))
    expect(fresh.macs('code', context)).toEqual([fresh.mac('code', context), old.mac('code', context)])
  })

  test('encrypts nothing once the database belongs to a key that it does not hold', () => {
    const both = box()
    const stranger = createSecretBox([new Secret('s'.repeat(32))]).fingerprint
    const sealed = both.seal('a', context)
    expect(() => both.follow(both.fingerprint, stranger)).toThrow(expect.objectContaining({ code: 'wrong_key' }))
    expect(() => both.seal('b', context)).toThrow(/Restart this process with the new key/)
    expect(both.open(sealed, context)).toBe('a')
    both.follow(both.fingerprint, both.fingerprint)
    expect(both.open(both.seal('c', context), context)).toBe('c')
  })
})

describe('the secret box', () => {
  const box = createSecretBox([new Secret('k'.repeat(32))])
  const context = 'channel:t1:c1:token'

  test('decrypts what it encrypted, and encrypts it differently each time', () => {
    for (const text of ['', 'token', 'ä€😀'.repeat(1_000)]) expect(box.open(box.seal(text, context), context)).toBe(text)
    expect(box.seal('same', context)).not.toBe(box.seal('same', context))
    expect(box.seal('visible', context)).toMatch(/^[\w-]+$/)
  })

  test('decrypts what this version encrypted earlier', () => {
    expect(box.open(EARLIER, context)).toBe('sealed in the first release')
  })

  test('does not decrypt a secret in another row or for another purpose', () => {
    const sealed = box.seal('token', context)
    for (const other of ['channel:t1:c2:token', 'channel:t1:c1:toke', ''])
      expect(() => box.open(sealed, other)).toThrow(expect.objectContaining({ code: 'damaged' }))
  })

  test('detects a change of any byte, and any truncation', () => {
    const bytes = Buffer.from(box.seal('token', context), 'base64url')
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at] = (changed[at] as number) ^ 1
      expect(() => box.open(changed.toString('base64url'), context)).toThrow(/stored secret/)
      expect(() => box.open(bytes.subarray(0, at).toString('base64url'), context)).toThrow(/stored secret/)
    }
  })

  test('distinguishes a wrong key from damage, with a message that says what to do', () => {
    const other = createSecretBox([new Secret('x'.repeat(32))])
    expect(() => other.open(box.seal('token', context), context)).toThrow(DecryptionError)
    expect(() => other.open(box.seal('token', context), context)).toThrow(
      expect.objectContaining({ code: 'wrong_key', message: expect.stringContaining('SECRET_KEY') }),
    )
  })
})

describe('the key in the data directory', () => {
  let dir: string
  beforeEach(() => {
    dir = mkdtempSync(path.join(tmpdir(), 'secret-key-'))
  })
  afterEach(() => rmSync(dir, { recursive: true, force: true }))
  const file = () => path.join(dir, 'data/secret-key')

  test('is created once, readable by its owner only, and kept', async () => {
    const first = await loadOrCreateSecretKey(path.join(dir, 'data'))
    expect(first.reveal()).toMatch(/^[\w-]{43}$/)
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    expect((await loadOrCreateSecretKey(path.join(dir, 'data'))).reveal()).toBe(first.reveal())
    expect(readdirSync(path.join(dir, 'data'))).toEqual(['secret-key'])
  })

  test('is the same for all processes that start together', async () => {
    const keys = await Promise.all(Array.from({ length: 8 }, () => loadOrCreateSecretKey(path.join(dir, 'data'))))
    expect(new Set(keys.map((key) => key.reveal())).size).toBe(1)
  })

  test('is refused when other users can read it', async () => {
    await loadOrCreateSecretKey(path.join(dir, 'data'))
    chmodSync(file(), 0o644)
    await expect(loadOrCreateSecretKey(path.join(dir, 'data'))).rejects.toThrow(/chmod 600/)
  })

  test('a file without a key is an error and is never overwritten', async () => {
    await loadOrCreateSecretKey(path.join(dir, 'data'))
    writeFileSync(file(), '')
    await expect(loadOrCreateSecretKey(path.join(dir, 'data'))).rejects.toThrow(/backup/)
    expect(readFileSync(file(), 'utf8')).toBe('')
  })
})
