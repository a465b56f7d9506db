import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Pki } from './pki.ts'

const QUIET = { error() {} }
let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'haltless-pki-'))
})
afterEach(() => rm(dir, { recursive: true }))

test('two programs that start together on an empty folder end with the same certificate', async () => {
  const [one, other] = await Promise.all([new Pki(dir, QUIET).own(), new Pki(dir, QUIET).own()])
  expect(one).toEqual(other)
  expect(one.thumbprint).toMatch(/^[0-9A-F]{40}$/)
  expect(one.applicationUri).toMatch(/^urn:.+:haltless:edge-agent$/)
  expect((await stat(one.privateKeyFile)).mode & 0o777).toBe(0o600)
  expect(await readdir(dir)).toEqual(['own'])
  expect(await new Pki(dir, QUIET).own()).toEqual(one)
})

test('a server certificate is untrusted until it is trusted by its thumbprint', async () => {
  const pki = new Pki(dir, QUIET)
  const maker = new Pki(join(dir, 'somebody-else'), QUIET)
  const { certificateFile, thumbprint } = await maker.own()
  const { X509Certificate } = await import('node:crypto')
  const { readFile } = await import('node:fs/promises')
  const der = new X509Certificate(await readFile(certificateFile)).raw

  expect(await pki.isTrusted(der)).toBe(false)
  await expect(pki.trust(thumbprint)).rejects.toThrow('no server has shown')
  expect(await pki.remember(der)).toMatchObject({ thumbprint, isTrusted: false })
  await expect(pki.trust('12')).rejects.toThrow('at least its first 8 digits')
  const spoken = thumbprint.toLowerCase().replace(/(..)(?=.)/g, '$1:')
  expect(await pki.trust(spoken)).toMatchObject({ thumbprint, isTrusted: true })
  expect(await pki.isTrusted(der)).toBe(true)
  expect(await pki.isTrusted(Buffer.concat([der, der]))).toBe(true)
  expect(await pki.list()).toHaveLength(1)
  expect(await pki.remember(der)).toMatchObject({ isTrusted: true })
})

test('what is no certificate among the trusted ones is passed over', async () => {
  const pki = new Pki(dir, QUIET)
  const { mkdir } = await import('node:fs/promises')
  await mkdir(join(dir, 'trusted'))
  await writeFile(join(dir, 'trusted', 'notes.txt'), 'hello')
  expect(await pki.list()).toEqual([])
})
