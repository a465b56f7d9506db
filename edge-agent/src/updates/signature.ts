import { createHash, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { ReleaseManifest, ReleaseRefused, type SignedRelease } from '@haltless/protocol'

// what is signed begins with its purpose, so that no signature serves another
const MANIFEST = 'haltless-agent release 1\n'
const KEY = 'haltless-agent key 1\n'

const ed25519 = (key: KeyObject, what: string): KeyObject => {
  if (key.asymmetricKeyType !== 'ed25519') throw new ReleaseRefused(`${what} is no Ed25519 key`)
  return key
}

/** @throws ReleaseRefused when the text is no such key */
export function readPublicKey(pem: string): KeyObject {
  let key: KeyObject
  try {
    key = createPublicKey(pem)
  } catch {
    throw new ReleaseRefused('the public key cannot be read: it must be PEM')
  }
  return ed25519(key, 'the public key')
}

const derOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' })

/** How people compare keys: the first 16 hex digits of the SHA-256 of its SPKI. */
export const keyFingerprint = (key: KeyObject): string => createHash('sha256').update(derOf(key)).digest('hex').slice(0, 16)

/** @param keys those that replaced the first one, as {@link endorseKey} made them */
export function signRelease(manifest: ReleaseManifest, privateKey: KeyObject, keys: SignedRelease['keys']): SignedRelease {
  const text = JSON.stringify(ReleaseManifest.parse(manifest), null, 2)
  const signature = sign(null, Buffer.from(MANIFEST + text), ed25519(privateKey, 'the private key'))
  return { manifest: text, signature: signature.toString('base64'), keys }
}

/** Makes the next key known to whoever trusts the present one. */
export function endorseKey(next: KeyObject, present: KeyObject): SignedRelease['keys'][number] {
  const der = derOf(ed25519(next, 'the next key'))
  const signature = sign(null, Buffer.concat([Buffer.from(KEY), der]), ed25519(present, 'the present key'))
  return { key: der.toString('base64'), signature: signature.toString('base64') }
}

/**
 * Whether a release comes from the holder of the trusted key, or of a key that follows from it.
 * @param trusted the public key that was installed
 * @returns the key that signed it
 * @throws ReleaseRefused when it does not
 */
export function verifySignature(release: SignedRelease, trusted: KeyObject): KeyObject {
  const known = [ed25519(trusted, 'the installed key')]
  for (const { key, signature } of release.keys) {
    const der = Buffer.from(key, 'base64')
    const signed = Buffer.concat([Buffer.from(KEY), der])
    // links before the installed key are of keys that this agent does not know
    if (!known.some((by) => verify(null, signed, by, Buffer.from(signature, 'base64')))) continue
    known.push(ed25519(createPublicKey({ key: der, type: 'spki', format: 'der' }), 'a newer key'))
  }
  const text = Buffer.from(MANIFEST + release.manifest)
  const signer = known.find((key) => verify(null, text, key, Buffer.from(release.signature, 'base64')))
  if (!signer) throw new ReleaseRefused('it is not signed with the key that this agent trusts')
  return signer
}
