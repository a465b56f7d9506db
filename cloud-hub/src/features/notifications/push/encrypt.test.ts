import { createECDH } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { encryptForBrowser, MAX_PLAINTEXT_BYTES, messageKeys } from './encrypt.ts'

const bytes = (text: string) => Buffer.from(text, 'base64url')
/** RFC 8291, section 5 and appendix A */
const RFC = {
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
  senderPrivate: 'yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw',
  salt: 'DGv6ra1nlYgDCS1FRnbzlw',
  body: 'DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN',
}
const browser = { p256dh: bytes(RFC.p256dh), auth: bytes(RFC.auth) }

describe('the encryption of a push message', () => {
  it('makes the bytes of the example in RFC 8291', () => {
    const sender = createECDH('prime256v1')
    sender.setPrivateKey(bytes(RFC.senderPrivate))
    const body = encryptForBrowser(Buffer.from('When I grow up, I want to be a watermelon'), browser, sender, bytes(RFC.salt))
    expect(body.toString('base64url')).toBe(RFC.body)
  })

  it('uses new keys and a new salt for every message', () => {
    const [one, two] = [encryptForBrowser(Buffer.from('a'), browser), encryptForBrowser(Buffer.from('a'), browser)]
    expect(one.subarray(0, 16)).not.toEqual(two.subarray(0, 16))
    expect(one.subarray(21, 86)).not.toEqual(two.subarray(21, 86))
  })

  it('fills one record of 4,096 bytes at most, which is what push services take', () => {
    expect(encryptForBrowser(Buffer.alloc(MAX_PLAINTEXT_BYTES), browser)).toHaveLength(4_096)
  })

  it('throws for a key that is no point of the curve', () => {
    expect(() => encryptForBrowser(Buffer.from('a'), { ...browser, p256dh: Buffer.alloc(65, 4) })).toThrow()
    expect(messageKeys().getPublicKey()).toHaveLength(65)
  })
})
