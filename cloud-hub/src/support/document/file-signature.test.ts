import { generateKeyPairSync, sign } from 'node:crypto'
import { expect, it } from 'vitest'
import { signFile, verifyFile } from './file-signature.ts'

const pair = (kid: string) => ({ kid, ...generateKeyPairSync('ed25519') })
const [old, current, foreign] = [pair('old-key'), pair('current_key'), pair('foreign')]
const keys = new Map([old, current].map(({ kid, publicKey }) => [kid, publicKey]))
const REFERENCE = 'cVk1_x-7D3mKq0zYb2Wn4A'
const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF')

it('a signed file verifies with the current key and with an older one, offline', () => {
  for (const key of [old, current])
    expect(verifyFile(signFile(pdf, key, REFERENCE), keys)).toEqual({ isValid: true, kid: key.kid, reference: REFERENCE })
  expect(signFile(pdf, current, REFERENCE).toString('latin1')).toMatch(
    /%%EOF\n%Haltless-Certificate: 2 cVk1_x-7D3mKq0zYb2Wn4A\n%Haltless-Signature: current_key\.[\w-]{86}\n$/,
  )
  expect(signFile(pdf, current, REFERENCE)).toEqual(signFile(pdf, current, REFERENCE))
})

it('a file of version 1, which has no line with the reference, stays valid', () => {
  const body = Buffer.concat([pdf, Buffer.from('\n')])
  const signature = sign(null, body, old.privateKey).toString('base64url')
  const file = Buffer.concat([body, Buffer.from(`%Haltless-Signature: old-key.${signature}\n`)])
  expect(verifyFile(file, keys)).toEqual({ isValid: true, kid: 'old-key', reference: null })
})

it('the signature covers the reference: a file with that of another certificate was changed', () => {
  const file = signFile(pdf, current, REFERENCE)
  const other = Buffer.from(file.toString('latin1').replace(REFERENCE, REFERENCE.replace('c', 'd')), 'latin1')
  expect(verifyFile(other, keys)).toEqual({ isValid: false, reason: 'changed', kid: 'current_key' })
})

it('a change of any byte is found, and the reason is named', () => {
  const file = signFile(pdf, current, REFERENCE)
  for (let at = 0; at < file.length; at++) {
    const changed = Buffer.from(file)
    changed[at] = (changed[at] as number) ^ 1
    expect(verifyFile(changed, keys)).toMatchObject({ isValid: false })
    expect(verifyFile(file.subarray(0, at), keys)).toMatchObject({ isValid: false })
  }
  const edited = Buffer.from(file)
  edited[5] = 0x38
  expect(verifyFile(edited, keys)).toEqual({ isValid: false, reason: 'changed', kid: 'current_key' })
  expect(verifyFile(pdf, keys)).toEqual({ isValid: false, reason: 'unsigned' })
  expect(verifyFile(Buffer.concat([file, Buffer.from('x')]), keys)).toEqual({ isValid: false, reason: 'appended' })
  expect(verifyFile(Buffer.alloc(0), keys)).toEqual({ isValid: false, reason: 'unsigned' })
})

it('another spelling of the same signature is a change too', () => {
  const file = signFile(pdf, current, REFERENCE)
  const others = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'].filter(
    (letter) => letter.charCodeAt(0) !== file.at(-2),
  )
  for (const letter of others) {
    const spelled = Buffer.from(file)
    spelled.write(letter, file.length - 2)
    expect(verifyFile(spelled, keys)).toEqual({ isValid: false, reason: 'changed', kid: 'current_key' })
  }
})

it('a signature of a key that the hub never had is refused, also under the name of one of its keys', () => {
  expect(verifyFile(signFile(pdf, foreign, REFERENCE), keys)).toEqual({ isValid: false, reason: 'unknown_key', kid: 'foreign' })
  const forged = signFile(pdf, { kid: 'current_key', privateKey: foreign.privateKey }, REFERENCE)
  expect(verifyFile(forged, keys)).toEqual({ isValid: false, reason: 'changed', kid: 'current_key' })
})

it('a second signature line does not hide what was appended after the first', () => {
  const file = signFile(pdf, current, REFERENCE)
  const twice = signFile(Buffer.concat([file, Buffer.from('2 0 obj\n%%EOF')]), foreign, REFERENCE)
  expect(verifyFile(twice, keys)).toMatchObject({ isValid: false, reason: 'unknown_key' })
})
