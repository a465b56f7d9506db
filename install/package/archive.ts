import { createReadStream, createWriteStream, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { constants, createZstdCompress } from 'node:zlib'
import { run } from './run.ts'

/** Packs a folder so that equal content gives equal bytes: sorted, owned by root, with the time of the commit. */
export function tarOf(dir: string, file: string, epoch: number, options: { prefix?: string } = {}): void {
  const prefix = options.prefix ? [`--transform=flags=r;s,^\\.,${options.prefix},`] : []
  run('tar', [
    ...['--create', '--file', file, '--directory', dir, '--sort=name', `--mtime=@${epoch}`],
    ...['--owner=0', '--group=0', '--numeric-owner', '--format=gnu', ...prefix, '.'],
  ])
}

/** Compresses with xz, which dpkg of Debian 11 reads. @param level 0 to 9 */
export function xz(file: string, level: number): string {
  run('xz', [`-${level}`, '-T2', '--block-size=32MiB', '--force', file])
  return `${file}.xz`
}

/** Compresses with zstd. @param level 1 to 19 */
export async function zstd(file: string, target: string, level: number): Promise<void> {
  const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_windowLog]: 27 }
  await pipeline(createReadStream(file), createZstdCompress({ params }), createWriteStream(target))
  rmSync(file)
}

/** Writes a Debian package: an archive of ar with three members. Source: deb(5) */
export function writeDeb(target: string, members: { control: string; data: string }, epoch: number): void {
  const member = (name: string, content: Buffer) => {
    const header = `${name.padEnd(16)}${String(epoch).padEnd(12)}${'0'.padEnd(6)}${'0'.padEnd(6)}${'100644'.padEnd(8)}${String(content.length).padEnd(10)}\`\n`
    return Buffer.concat([Buffer.from(header), content, Buffer.from(content.length % 2 ? '\n' : '')])
  }
  writeFileSync(
    target,
    Buffer.concat([
      Buffer.from('!<arch>\n'),
      member('debian-binary', Buffer.from('2.0\n')),
      member(path.basename(members.control), readFileSync(members.control)),
      member(path.basename(members.data), readFileSync(members.data)),
    ]),
  )
}
