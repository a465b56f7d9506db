import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'esbuild'
import { archiveOf, newKey, PLATFORM, pemOf, releaseOf } from '../release.ts'

const repository = path.resolve(import.meta.dirname, '../../../..')

/**
 * How a version is broken, on the computers whose environment names it in `INSTALLED_AGENT_FAULT`:
 * `ends`: it does not start. `reads nothing`: it reaches no device. `sends nothing`: it reaches no hub.
 */
export const FAULTS = ['ends', 'reads nothing', 'sends nothing'] as const

/** Code before that of a broken version: `PLANT_PORT` is the port of the devices. */
const BROKEN = `
import { Socket as BrokenSocket } from 'node:net'
const brokenAs = process.argv.includes('run') ? process.env.INSTALLED_AGENT_FAULT : undefined
if (brokenAs === 'ends') process.exit(3)
if (brokenAs) {
  const connect = BrokenSocket.prototype.connect
  BrokenSocket.prototype.connect = function (...args) {
    const [first] = args.flat()
    const isDevice = String(first?.port ?? first) === process.env.PLANT_PORT
    if (isDevice !== (brokenAs === 'reads nothing')) return connect.apply(this, args)
    process.nextTick(() => this.destroy(new Error('this version is broken')))
    return this
  }
}
`

/** What CommonJS code in an ES module needs; and the program ends with the one that started it. */
const BANNER = `import { createRequire as testRequire } from 'node:module'
const require = testRequire(import.meta.url)
process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'))
process.channel?.unref()
`

/** Builds versions of the agent and their releases, signed with a key of its own. */
export interface Programs {
  key: ReturnType<typeof newKey>
  /** writes the folder of a version */
  write(folder: string, version: string, isBroken?: boolean): void
  /** the archive of a version, as `npm run package:agent` writes it */
  archive(version: string, isBroken?: boolean): Buffer
  /** an archive of a folder that the caller changes */
  archiveOfChanged(version: string, change: (folder: string) => void, isBroken?: boolean): Buffer
  /** writes a signed release with its archive for `npm run hub -- releases add`. @returns its file and its archive */
  release(version: string, sequence: number, isBroken?: boolean): { file: string; archive: Buffer }
}

/**
 * Bundles the agent as its package does, without OPC UA, which is most of the package and of the time that a start takes, and with an
 * updater that talks to the supervisor of the test in place of systemd.
 * @param dir all programs must lie below it: there they find the native package of SQLite
 */
export async function buildPrograms(dir: string): Promise<Programs> {
  const [lib, archives, empty] = [path.join(dir, 'programs'), path.join(dir, 'archives'), path.join(dir, 'empty.cjs')]
  for (const folder of [lib, archives]) mkdirSync(folder)
  writeFileSync(empty, 'module.exports = {}')
  await build({
    entryPoints: {
      agent: path.join(repository, 'edge-agent/src/main.ts'),
      updater: path.join(import.meta.dirname, 'updater-program.ts'),
    },
    outdir: lib,
    outExtension: { '.js': '.mjs' },
    absWorkingDir: repository,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node24',
    external: ['better-sqlite3', 'proper-lockfile'],
    plugins: [
      { name: 'without OPC UA', setup: ({ onResolve }) => onResolve({ filter: /^node-opcua/ }, () => ({ path: empty })) },
    ],
    banner: { js: BANNER },
    logLevel: 'error',
  })
  symlinkSync(path.join(repository, 'node_modules'), path.join(dir, 'node_modules'))
  const agent = readFileSync(path.join(lib, 'agent.mjs'), 'utf8')
  const key = newKey()
  let made = 0
  const programs: Programs = {
    key,
    write(folder, version, isBroken = false) {
      const app = path.join(folder, 'app/lib')
      for (const part of [app, path.join(folder, 'bin')]) mkdirSync(part, { recursive: true })
      writeFileSync(path.join(folder, 'bin/node'), `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, { mode: 0o755 })
      writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ version, type: 'module' }))
      writeFileSync(path.join(folder, 'platform'), `${PLATFORM}\n`)
      writeFileSync(path.join(folder, 'update-key.pem'), pemOf(key.publicKey))
      writeFileSync(path.join(app, 'agent.mjs'), isBroken ? BROKEN + agent : agent)
      cpSync(path.join(lib, 'updater.mjs'), path.join(app, 'updater.mjs'))
      cpSync(path.join(repository, 'edge-agent/src/buffer/migrations'), path.join(app, 'migrations'), { recursive: true })
      cpSync(path.join(repository, 'edge-agent/src/local/page'), path.join(app, 'page'), { recursive: true })
    },
    archive: (version, isBroken) => programs.archiveOfChanged(version, () => {}, isBroken),
    archiveOfChanged(version, change, isBroken = false) {
      const folder = path.join(archives, `${version}-${made++}`)
      programs.write(folder, version, isBroken)
      change(folder)
      return archiveOf(folder, `haltless-agent-${version}-${PLATFORM}`)
    },
    release(version, sequence, isBroken) {
      const archive = programs.archive(version, isBroken)
      const release = releaseOf(archive, version, key.privateKey, { sequence })
      const { name } = JSON.parse(release.manifest).files[0]
      const file = path.join(archives, `haltless-agent-${version}.release.json`)
      writeFileSync(path.join(archives, name), archive)
      writeFileSync(file, JSON.stringify(release))
      return { file, archive }
    },
  }
  return programs
}
