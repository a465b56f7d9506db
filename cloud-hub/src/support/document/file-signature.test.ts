import { generateKeyPairSync } from 'node:crypto'
import { expect, it } from 'vitest'
import { signFile, verifyFile } from './file-signature.ts'

const pair = (kid: string) => ({ kid, ...generateKeyPairSync('ed25519') })
const [old, current, foreign] = [pair('old-key'), pair('current_key'), pair('foreign')]
const keys = new Map([old, current].map(({ kid, publicKey }) => [kid, publicKey]))
const pdf = Buffer.from('%PDF-1.7\n1 0 obj\n<<>>\nendobj\n%%EOF')

it('a signed file verifies with the current key and with an older one, offline', () => {
  for (const key of [old, current]) expect(verifyFile(signFile(pdf, key), keys)).toEqual({ isValid: true, kid: key.kid })
  expect(signFile(pdf, current).toString('latin1')).toMatch(/%%EOF\n%Haltless-Signature: current_key\.[\w-]{86}\n$/)
  expect(signFile(pdf, current)).toEqual(signFile(pdf, current))
})

it('a change of any byte is found, and the reason is named', () => {
  const file = signFile(pdf, current)
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
  const file = signFile(pdf, current)
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
  expect(verifyFile(signFile(pdf, foreign), keys)).toEqual({ isValid: false, reason: 'unknown_key', kid: 'foreign' })
  const forged = signFile(pdf, { kid: 'current_key', privateKey: foreign.privateKey })
  expect(verifyFile(forged, keys)).toEqual({ isValid: false, reason: 'changed', kid: 'current_key' })
})

it('a second signature line does not hide what was appended after the first', () => {
  const file = signFile(pdf, current)
  const twice = signFile(Buffer.concat([file, Buffer.from('2 0 obj\n%%EOF')]), foreign)
  expect(verifyFile(twice, keys)).toMatchObject({ isValid: false, reason: 'unknown_key' })
})
