import { existsSync, rmSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import { VERSION } from './chromium-version.ts'

/** Why this machine cannot run the tests with a browser, or null. `CHROMIUM_PATH` names a system Chromium. */
export const noBrowser: string | null =
  process.arch === 'x64' || process.env.CHROMIUM_PATH
    ? null
    : 'npm has no Chromium for this processor: CHROMIUM_PATH may name one of the system'

/** Kept between runs, because unpacking takes two seconds and 200 MB. */
const UNPACKED = path.join(import.meta.dirname, `../../../node_modules/.cache/chromium-${VERSION}`)
const NSS = '/usr/lib/x86_64-linux-gnu/libnss3.so'

/**
 * Starts a Chromium. Its program lies in a folder of this project: the package's shared one may belong to another user.
 * Its temporary files have a folder of their own, removed when it has ended: a browser that is killed leaves its sockets behind.
 */
export async function startChromium(): Promise<Browser> {
  const program = process.env.CHROMIUM_PATH || path.join(UNPACKED, 'chromium')
  if (!process.env.CHROMIUM_PATH && !existsSync(UNPACKED)) await unpack()
  const temporary = await mkdtemp(path.join(tmpdir(), 'haltless-chromium-'))
  // the other flags of the package would switch web security off
  const args = ['--no-sandbox']
  const env = { ...process.env, ...(process.env.CHROMIUM_PATH ? {} : ownFiles()), TMPDIR: temporary }
  const browser = await chromium.launch({ executablePath: program, args, env })
  browser.on('disconnected', () => rmSync(temporary, { recursive: true, force: true, maxRetries: 3 }))
  return browser
}

/** The fonts of the package, and its libraries where the system has none. */
function ownFiles(): Record<string, string> {
  const fonts = { FONTCONFIG_FILE: path.join(UNPACKED, 'fonts.conf') }
  return existsSync(NSS) ? fonts : { ...fonts, LD_LIBRARY_PATH: path.join(UNPACKED, 'al2023/lib') }
}

async function unpack(): Promise<void> {
  const draft = `${UNPACKED}.part-${process.pid}`
  await mkdir(draft, { recursive: true })
  const { default: packed } = await import('@sparticuz/chromium')
  const { TMPDIR, AWS_EXECUTION_ENV } = process.env
  // the package unpacks into the temporary folder, and its libraries only where it believes to be on Amazon Linux
  Object.assign(process.env, { TMPDIR: draft, AWS_EXECUTION_ENV: 'nodejs22.x' })
  try {
    await packed.executablePath()
  } finally {
    restore({ TMPDIR, AWS_EXECUTION_ENV })
  }
  // without a font every text has no width, and the browser waits for ever
  const folders = `<dir>${UNPACKED}/fonts</dir><cachedir>${UNPACKED}/fontcache</cachedir>`
  await writeFile(path.join(draft, 'fonts.conf'), `<?xml version="1.0"?><fontconfig>${folders}</fontconfig>\n`)
  // another test file may have unpacked it meanwhile
  await rename(draft, UNPACKED).catch(() => rm(draft, { recursive: true, force: true }))
}

function restore(values: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
}
