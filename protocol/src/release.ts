import { z } from 'zod'

/**
 * Releases of the agent. A manifest names the files of one version; a release is the manifest as text with an Ed25519 signature (RFC 8032)
 * over that text. A package of the agent holds the public key that its next release must be signed with. A key may be replaced: a release carries
 * the newer keys, each signed by the one before it.
 */

/** `1.2.3`, `1.2.3-rc.1`. Source: semver.org, 2.0.0, without build metadata */
export const VERSION_PATTERN = /^(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})\.(0|[1-9]\d{0,8})(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$/
export const ReleaseVersion = z.string().max(64).regex(VERSION_PATTERN, 'must be a version such as 1.2.3')

/** As in the names of the archives: `linux-amd64`, `linux-arm64`. */
export const AgentPlatform = z.string().regex(/^[a-z0-9]{1,32}-[a-z0-9]{1,32}$/, 'must be a platform such as linux-amd64')

/** The largest archive that a hub stores and an agent downloads. */
export const RELEASE_FILE_BYTES_MAX = 200 * 2 ** 20

export const ReleaseFile = z.strictObject({
  platform: AgentPlatform.describe('What it runs on, such as `linux-amd64`.'),
  name: z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*\.tar\.zst$/, 'must be the name of a .tar.zst file')
    .describe('The name of the archive.'),
  size: z.int().min(1).max(RELEASE_FILE_BYTES_MAX).describe('Bytes of the archive.'),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits')
    .describe('SHA-256 of the archive, 64 hex digits.'),
})
export type ReleaseFile = z.infer<typeof ReleaseFile>

export const ReleaseManifest = z.strictObject({
  format: z.literal(1),
  version: ReleaseVersion,
  /** grows with each release of a key holder; an agent takes none that is not above that of its confirmed version */
  sequence: z.int().min(1),
  /** the oldest version that may update to this one */
  min_source_version: ReleaseVersion,
  issued_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  files: z.array(ReleaseFile).min(1).max(16),
})
export type ReleaseManifest = z.infer<typeof ReleaseManifest>

const base64 = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[A-Za-z0-9+/]+={0,2}$/, 'must be base64')

/** What `npm run package:agent -- sign` writes, a hub stores, and an agent verifies. */
export const SignedRelease = z.strictObject({
  manifest: z.string().min(2).max(16_384).describe('The manifest: JSON as text, exactly as it was signed.'),
  signature: base64(88).describe('Ed25519 signature of the manifest, base64.'),
  keys: z
    .array(
      z.strictObject({
        key: base64(88).describe('The newer public key, SPKI in DER, base64.'),
        signature: base64(88).describe('Ed25519 signature of that key by the key before it, base64.'),
      }),
    )
    .max(16)
    .describe('Keys that replaced the first, oldest first.'),
})
export type SignedRelease = z.infer<typeof SignedRelease>

/** A release that must not be installed; the message says why, in words for people. */
export class ReleaseRefused extends Error {
  override name = 'ReleaseRefused'
}

/**
 * Reads a release without a key, as a hub does, which trusts whoever adds it.
 * @throws ReleaseRefused when it is not of this shape
 */
export function readRelease(given: unknown): { release: SignedRelease; manifest: ReleaseManifest } {
  const release = SignedRelease.safeParse(given)
  if (!release.success) throw new ReleaseRefused(`this is no signed release: ${firstFault(release.error)}`)
  let json: unknown
  try {
    json = JSON.parse(release.data.manifest)
  } catch {
    throw new ReleaseRefused('its manifest is no JSON')
  }
  const manifest = ReleaseManifest.safeParse(json)
  if (!manifest.success) throw new ReleaseRefused(`its manifest is invalid: ${firstFault(manifest.error)}`)
  return { release: release.data, manifest: manifest.data }
}

const firstFault = (error: z.ZodError): string =>
  error.issues.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(': '))[0] as string

/** The version that is installed and confirmed, which decides what may follow it. */
export interface InstalledVersion {
  version: string
  platform: string
  /** of the release that it was installed from; 0: from a package */
  sequence: number
}

/**
 * Whether a release may replace the installed version.
 * @param now Unix ms
 * @returns its file for this platform
 * @throws ReleaseRefused with the reason
 */
export function fileToInstall(manifest: ReleaseManifest, installed: InstalledVersion, now: number): ReleaseFile {
  const { version, sequence, min_source_version, expires_at, files } = manifest
  if (compareVersions(version, installed.version) <= 0)
    throw new ReleaseRefused(`version ${version} is not newer than the installed ${installed.version}`)
  if (sequence <= installed.sequence)
    throw new ReleaseRefused(`its sequence number ${sequence} is not above ${installed.sequence}, that of the installed version`)
  if (compareVersions(installed.version, min_source_version) < 0)
    throw new ReleaseRefused(
      `it needs version ${min_source_version} or newer to update from, and ${installed.version} is installed`,
    )
  if (Date.parse(expires_at) <= now) throw new ReleaseRefused(`the release expired at ${expires_at}`)
  const file = files.find(({ platform }) => platform === installed.platform)
  if (!file) throw new ReleaseRefused(`it has no archive for ${installed.platform}`)
  return file
}

/** Below 0: a is older. Source: semver.org, 2.0.0, section 11. @throws RangeError for what is no version */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)]
  for (let i = 0; i < 3; i++) {
    const difference = (left.numbers[i] as number) - (right.numbers[i] as number)
    if (difference !== 0) return difference
  }
  if (!left.labels || !right.labels) return Number(!left.labels) - Number(!right.labels)
  for (let i = 0; i < Math.max(left.labels.length, right.labels.length); i++) {
    const difference = compareLabels(left.labels[i], right.labels[i])
    if (difference !== 0) return difference
  }
  return 0
}

function partsOf(version: string): { numbers: number[]; labels: string[] | null } {
  const parts = VERSION_PATTERN.exec(version)
  if (!parts) throw new RangeError(`${version} is no version`)
  return { numbers: parts.slice(1, 4).map(Number), labels: parts[4]?.slice(1).split('.') ?? null }
}

/** Numbers come before words, and a label that is missing before any. */
function compareLabels(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined)
  const [isNumber, isOtherNumber] = [/^\d+$/.test(a), /^\d+$/.test(b)]
  if (isNumber && isOtherNumber) return Number(a) - Number(b)
  if (isNumber !== isOtherNumber) return isNumber ? -1 : 1
  return a < b ? -1 : Number(a > b)
}
