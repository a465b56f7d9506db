import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { zstdCompressSync } from 'node:zlib'
import type { ReleaseManifest, SignedRelease } from '@haltless/protocol'
import type { Programs } from '../../../edge-agent/test/support/installed-agent/programs.ts'
import { endorseKey, newKey, PLATFORM, releaseOf } from '../../../edge-agent/test/support/release.ts'
import type { ArchiveAnswer } from './hostile-hub.ts'

/** The version that is attacked with; the installed one is older, and was confirmed with {@link CONFIRMED_SEQUENCE}. */
const VERSION = '1.1.0'
export const CONFIRMED_SEQUENCE = 10

/** What a hub in wrong hands does to an agent, and how the agent has to report it. */
export interface Attack {
  name: string
  order: unknown
  answer: ArchiveAnswer
  /** the final state, or that of trying again and again; null: the agent cannot read the order, and reports nothing */
  state: 'refused' | 'downloading' | null
  reason: RegExp
  /** so much may lie on the disk meanwhile, bytes */
  diskMax: number
  isLarge?: boolean
}

const MB = 2 ** 20

/** @param elsewhere address of a server that no agent may ask */
export function attacksWith(programs: Programs, elsewhere: string): Attack[] {
  const { key } = programs
  const good = programs.archive(VERSION)
  const signed = (archive: Buffer, over: Partial<ReleaseManifest> = {}) =>
    releaseOf(archive, VERSION, key.privateKey, { sequence: CONFIRMED_SEQUENCE + 1, ...over })
  const attack = (
    name: string,
    reason: RegExp,
    more: Partial<Attack> & { release?: SignedRelease; archive?: Buffer } = {},
  ): Attack => {
    const { archive = good, release = signed(archive), ...rest } = more
    const version = JSON.parse(release.manifest).version
    const order = {
      rollout_id: randomUUID(),
      version,
      release,
      path: `/api/v1/agent/releases/${version}/${PLATFORM}?agent_id=a`,
      delay_seconds: 0,
    }
    return { name, reason, order, answer: (_, out) => void out.end(archive), state: 'refused', diskMax: 12 * MB, ...rest }
  }
  /** Of somebody who has the key: what the archive holds is wrong. */
  const packed = (name: string, reason: RegExp, entries: readonly Entry[], more: Partial<Attack> = {}) =>
    attack(name, reason, { archive: zstdCompressSync(tarOf(entries)), ...more })
  const foreign = newKey()
  const next = newKey()
  const changed = signed(good)
  const program = [file('haltless/bin/node', '#!/bin/sh\n'), file('haltless/package.json', '{}')]
  return [
    attack('foreign key', /not signed with the key/, { release: releaseOf(good, VERSION, foreign.privateKey, { sequence: 11 }) }),
    attack('next key that the present one did not sign', /not signed with the key/, {
      release: releaseOf(good, VERSION, next.privateKey, { sequence: 11 }, [endorseKey(next.publicKey, foreign.privateKey)]),
    }),
    attack('manifest changed after it was signed', /not signed with the key/, {
      release: { ...changed, manifest: changed.manifest.replace('"sequence": 11', '"sequence": 12') },
    }),
    attack('replayed older manifest', /not above 10/, { release: signed(good, { sequence: CONFIRMED_SEQUENCE }) }),
    attack('downgrade', /not newer/, { release: signed(good, { version: '0.9.0' }) }),
    attack('other platform', /no archive for/, { release: releaseOf(good, VERSION, key.privateKey, elsewherePlatform(good)) }),
    attack('expired manifest', /expired/, { release: signed(good, { expires_at: '2026-01-01T00:00:00Z' }) }),
    { ...attack('order that is none', /./), order: { rollout_id: 'x'.repeat(2 * MB), version: {} }, state: null },
    { ...attack('path to another server', /./), order: { ...(attack('', /./).order as object), path: elsewhere }, state: null },
    attack('truncated archive', /connection ended|aborted|ECONNRESET/, {
      state: 'downloading',
      answer: (_, out) => truncated(out, good),
    }),
    attack('other bytes of the same size', /not the signed one/, { answer: (_, out) => void out.end(randomBytes(good.length)) }),
    attack('endless body without a length', /more than the signed archive/, { answer: (_, out) => endless(out) }),
    attack('endless body with a length', /more than the signed archive/, {
      answer(_, out) {
        out.setHeader('content-length', 2 ** 40)
        endless(out)
      },
    }),
    attack('one byte a second', /^$/, { state: 'downloading', answer: (_, out) => slow(out) }),
    attack('no answer', /nothing came|^$/, { state: 'downloading', answer: () => {} }),
    attack('redirect to another server', /answered 302/, {
      state: 'downloading',
      answer: (_, out) => void out.writeHead(302, { location: elsewhere }).end(),
    }),
    attack('damaged archive, although it is signed', /damaged/, { archive: randomBytes(100_000) }),
    attack('another program, although it is signed', /the program in the archive is version/, {
      archive: programs.archive('1.3.0'),
    }),
    packed('path traversal', /leads outside/, [...program, file('haltless/../../../outside', 'x')]),
    packed('absolute path', /leads outside/, [...program, file('/etc/haltless-outside', 'x')]),
    packed('symbolic link', /neither a file nor a folder/, [...program, { name: 'haltless/app', type: '2', link: '/etc' }]),
    packed('hard link', /neither a file nor a folder/, [
      ...program,
      { name: 'haltless/app', type: '1', link: 'haltless/bin/node' },
    ]),
    packed('device', /neither a file nor a folder/, [...program, { name: 'haltless/null', type: '3' }]),
    packed('file over another', /a path twice/, [...program, file('haltless/bin/node', 'x')]),
    packed('too many files', /more files than/, manyFiles(), { isLarge: true, diskMax: 200 * MB }),
    attack('archive that unpacks to 2 GB', /larger than an agent can be/, {
      archive: zstdCompressSync(Buffer.alloc(2 ** 31 - 1)),
      isLarge: true,
      diskMax: 1_100 * MB,
    }),
  ]
}

const elsewherePlatform = (archive: Buffer): Partial<ReleaseManifest> => ({
  sequence: CONFIRMED_SEQUENCE + 1,
  files: [
    {
      platform: 'windows-amd64',
      name: 'haltless-agent-1.1.0-windows-amd64.tar.zst',
      size: archive.length,
      sha256: createHash('sha256').update(archive).digest('hex'),
    },
  ],
})

/** Half of it, each time from where the agent has arrived. */
function truncated(out: ServerResponse, archive: Buffer): void {
  out.writeHead(200, { 'content-length': archive.length })
  out.write(archive.subarray(0, archive.length / 2), () => out.destroy())
}

function endless(out: ServerResponse): void {
  const piece = Buffer.alloc(65_536)
  const more = () => {
    while (!out.destroyed && out.write(piece));
    if (!out.destroyed) out.once('drain', more)
  }
  more()
}

function slow(out: ServerResponse): void {
  out.writeHead(200)
  const timer = setInterval(() => out.write('x'), 1_000)
  out.on('close', () => clearInterval(timer))
}

/** An entry of a tar archive. */
interface Entry {
  name: string
  /** `0` file, `1` hard link, `2` symbolic link, `3` device */
  type: string
  link?: string
  content?: string
}

const file = (name: string, content: string): Entry => ({ name, type: '0', content })

const manyFiles = (): Entry[] => Array.from({ length: 25_000 }, (_, i) => file(`haltless/${i}`, ''))

/** Source: POSIX.1-1988 (ustar) */
function tarOf(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap(({ name, type, link = '', content = '' }) => {
    const header = Buffer.alloc(512)
    const octal = (value: number, at: number, length: number) =>
      header.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'ascii')
    header.write(name, 0)
    octal(0o755, 100, 8)
    for (const at of [108, 116]) octal(0, at, 8)
    octal(content.length, 124, 12)
    octal(0, 136, 12)
    header.write(type, 156)
    header.write(link, 157)
    header.write('ustar\x0000', 257)
    header.fill(' ', 148, 156)
    octal(
      header.reduce((sum, byte) => sum + byte, 0),
      148,
      7,
    )
    const data = Buffer.from(content)
    return [header, data, Buffer.alloc((512 - (data.length % 512)) % 512)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}
