import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { apiValues } from '../../console/build/api-values.ts'
import { CONSOLE_DIR, CONSOLE_POLICY } from '../../src/console-files.ts'
import { useHub } from '../harness.ts'

const hub = useHub()
const root = path.join(import.meta.dirname, '../../..')
const get = (file: string, headers: Record<string, string> = {}) => hub.call('GET', file, undefined, headers)
const assets = readdirSync(path.join(CONSOLE_DIR, 'assets'))
const script = assets.find((name) => /^start-.*\.js$/.test(name)) as string

describe('the page of the console', () => {
  it('is served at / and at every path that is not the hub’s own, and is revalidated each time', async () => {
    for (const file of ['/', '/machines', '/alerts/0198c7d4-5a00-7000-8000-0000f5a48bee', '/no/such/page']) {
      const { status, headers, body } = await get(file)
      expect([file, status, body.includes('<div id="root">')]).toEqual([file, 200, true])
      expect([headers.get('content-type'), headers.get('cache-control')]).toEqual(['text/html; charset=utf-8', 'no-cache'])
    }
  })

  it('allows no inline script, no style beside its own, no other origin and no frame', async () => {
    const policy = (await get('/')).headers.get('content-security-policy')
    expect(policy).toBe(CONSOLE_POLICY)
    expect(policy).not.toMatch(/unsafe|\*|https?:|nonce/)
    expect(policy).toContain("frame-ancestors 'none'")
  })

  it('leaves the paths of the hub alone', async () => {
    expect((await get('/docs')).body).toContain('Haltless API</title>')
    expect((await get('/healthz')).body).toEqual({ status: 'ok' })
    for (const file of ['/api/v1/no-such', '/api/none', '/docs/none', '/calendars/none', '/.well-known/none'])
      expect([file, (await get(file)).status]).toEqual([file, 404])
    // programs take a page there for an answer
    for (const file of ['/mcp', '/mcp/sse', '/robots.txt'])
      expect([file, (await get(file)).body.code]).toEqual([file, 'path_not_found'])
    expect((await get('/mcp-notes')).status).toBe(200)
  })

  it('is at the links of mails too, where no cache keeps it, no token becomes part of it, and nothing answers a form', async () => {
    for (const page of ['/invite', '/reset-password']) {
      const { status, body, headers } = await get(`${page}?token=abc_DEF-1`)
      expect([status, body]).toEqual([200, (await get('/')).body])
      expect([headers.get('cache-control'), headers.get('content-security-policy')]).toEqual(['no-store', CONSOLE_POLICY])
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect((await get(`${page}?token=abc_DEF-1&plain=1`)).body).toBe(body)
      const form = { 'content-type': 'application/x-www-form-urlencoded', 'content-length': '17' }
      expect((await hub.call('POST', page, 'token=abc_DEF-1&a', form)).body.code).toBe('path_not_found')
    }
  })

  it('says without JavaScript, in English and German, that the console needs it, and leads nowhere', async () => {
    for (const page of ['/', '/invite?token=x', '/reset-password?token=x']) {
      const [, text] = /<noscript>([\s\S]*?)<\/noscript>/.exec((await get(page)).body) ?? []
      expect(text).toContain('<p>The console needs JavaScript.')
      expect(text).toContain('<p lang="de">Die Konsole benötigt JavaScript.')
      expect(text).not.toMatch(/href|http-equiv/)
    }
  })

  it('says in English and German what to do where a script does not arrive', async () => {
    const { body } = await get('/')
    const [, help] = /<div id="root">([\s\S]*?)<noscript>/.exec(body) ?? []
    for (const text of ['The console is not loading', 'lang="de"', 'Die Konsole lädt nicht']) expect(help).toContain(text)
  })

  it('has its own font, which the page asks for before its scripts need it, at most 60 kB in English and German', async () => {
    const { body } = await get('/')
    const [, font = ''] = /<link rel="preload" as="font" type="font\/woff2" href="([^"]+)" crossorigin/.exec(body) ?? []
    const { status, headers } = await get(font)
    expect([status, headers.get('content-type')]).toEqual([200, 'font/woff2'])
    expect(Number(headers.get('content-length'))).toBeLessThanOrEqual(60_000)
    expect(CONSOLE_POLICY).toContain("font-src 'self'")
    // the worker keeps what every page needs, and no other font
    const kept = (await get('/sw.js')).body as string
    expect([kept.includes(font), kept.includes('latin-ext')]).toEqual([true, false])
  })

  it('revalidates the service worker and the manifest, and keeps hashed files for a year', async () => {
    for (const file of ['/sw.js', '/manifest.webmanifest', '/icon.svg'])
      expect([file, (await get(file)).headers.get('cache-control')]).toEqual([file, 'no-cache'])
    expect((await get(`/assets/${script}`)).headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect((await get('/manifest.webmanifest')).headers.get('content-type')).toBe('application/manifest+json')
  })

  it('answers a file of an earlier build with 404, and never a file outside of the build', async () => {
    for (const file of [
      '/assets/index-00000000.js',
      '/assets/../package.json',
      '/assets/%2e%2e/index.html',
      '/.vite/manifest.json',
    ])
      expect([file, (await get(file)).body.includes?.('"isEntry"') ?? false]).toEqual([file, false])
    expect((await get('/assets/index-00000000.js')).body.code).toBe('path_not_found')
  })

  it('answers the encoding that the client accepts, and 304 for what it has', async () => {
    const send = (headers: Record<string, string>) => hub.app.request(`/assets/${script}`, { headers })
    const plain = Buffer.from(await (await send({})).arrayBuffer())
    const brotli = await send({ 'accept-encoding': 'gzip, br' })
    expect(brotli.headers.get('content-encoding')).toBe('br')
    expect(brotliDecompressSync(Buffer.from(await brotli.arrayBuffer())).equals(plain)).toBe(true)
    const gzip = await send({ 'accept-encoding': 'gzip' })
    expect(gunzipSync(Buffer.from(await gzip.arrayBuffer())).equals(plain)).toBe(true)
    const again = await send({ 'accept-encoding': 'gzip', 'if-none-match': gzip.headers.get('etag') as string })
    expect([again.status, await again.text()]).toEqual([304, ''])
  })
})

/** Fields of a `config`, whose limits the document leaves to the hub, and an id with a pattern. */
const OF_CONFIG = [
  'features/agents/enrol-page.tsx',
  'features/agents/sources/source-dialog.tsx',
  'features/agents/sources/source-dialog.tsx',
  'features/agents/sources/source-dialog.tsx',
  'features/agents/sources/tags-dialog.tsx',
  'features/agents/sources/tags-dialog.tsx',
  'features/erp/connection-dialog.tsx',
  'features/erp/connection-dialog.tsx',
  'features/erp/mapping-dialog.tsx',
  'features/rules/channel-dialog.tsx',
]

interface Chunk {
  file: string
  imports?: string[]
  dynamicImports?: string[]
}
const manifest = JSON.parse(readFileSync(path.join(CONSOLE_DIR, '.vite/manifest.json'), 'utf8')) as Record<string, Chunk>

/** The files of some modules, with everything that they import. */
function filesOf(modules: string[]): Set<string> {
  const names = new Set<string>()
  const add = (name: string) => {
    if (names.has(name)) return
    names.add(name)
    for (const imported of (manifest[name] as Chunk).imports ?? []) add(imported)
  }
  for (const name of modules) add(name)
  return new Set([...names].map((name) => (manifest[name] as Chunk).file))
}

const startFile = () => `assets/${script}`
const textsOf = (part: string) => `assets/${assets.find((name) => name.startsWith(`de-${part}-`) && name.endsWith('.json'))}`

/** Their gzipped size in kB. */
const kilobytes = (files: Iterable<string>): number =>
  [...files].reduce((sum, file) => sum + gzipSync(readFileSync(path.join(CONSOLE_DIR, file)), { level: 9 }).length, 0) / 1_000

describe('the JavaScript and texts of the console', () => {
  const signIn = [startFile(), ...filesOf(['src/features/sign-in/page.tsx'])]
  it('is at most 150 kB until the sign-in page', () => {
    expect(kilobytes(new Set([...signIn, textsOf('base')]))).toBeLessThanOrEqual(150)
  })
  it('is at most 210 kB until the overview shows machines', () => {
    const overview = filesOf(['src/app/shell.tsx', 'src/features/overview/page.tsx'])
    expect(kilobytes(new Set([...signIn, ...overview, textsOf('base'), textsOf('all')]))).toBeLessThanOrEqual(210)
  })
  it('is three scripts at most for each page: the start, the frame and the page', () => {
    const source = readFileSync(path.join(root, 'cloud-hub/console/src/app/router.tsx'), 'utf8')
    const pages = Array.from(source.matchAll(/import\('\.\.\/(features\/[^']+)'\)/g), ([, file]) => `src/${file}`)
    expect(pages.length).toBeGreaterThan(20)
    for (const page of pages) {
      const isOutside = page.includes('/sign-in/')
      const files = new Set([startFile(), ...filesOf(isOutside ? [page] : ['src/app/shell.tsx', page])])
      const scripts = [...files].filter((file) => file.endsWith('.js'))
      expect([page, scripts.length <= 3, scripts]).toEqual([page, true, expect.anything()])
    }
    expect((readFileSync(path.join(CONSOLE_DIR, 'index.html'), 'utf8').match(/<script/g) ?? []).length).toBe(1)
  })
  it('has charts and dialogs in files of their own', () => {
    const shared = new Set([startFile(), ...filesOf(['src/app/shell.tsx', 'src/features/overview/page.tsx'])])
    const texts = [...shared].map((file) => readFileSync(path.join(CONSOLE_DIR, file), 'utf8')).join('')
    expect([texts.includes('uplot'), texts.includes('ModalOverlay')]).toEqual([false, false])
  })
})

describe('the types of the API', () => {
  it('are written with its enums and limits from the document of this hub (else: npm run console:types)', () => {
    const document = execFileSync('npm', ['run', '-s', 'openapi'], { cwd: root, maxBuffer: 64 * 1_048_576 })
    const fileOf = (name: string) =>
      path.join(root, 'cloud-hub', ['schema.d', 'keyed-paths'].includes(name) ? 'client/src' : 'console/src/api', `${name}.ts`)
    for (const file of ['schema.d', 'keyed-paths', 'enums', 'filters', 'limits', 'token-scope-roles']) {
      const head = readFileSync(fileOf(file), 'utf8').split('\n', 1)[0]
      expect([file, head]).toEqual([
        file,
        expect.stringContaining(`document ${createHash('sha256').update(document).digest('hex')}`),
      ])
    }
    const compact = (text: string) => text.replace(/,?\s+|^\/\/.*$/gm, '').replaceAll(',', '')
    for (const [name, text] of Object.entries(apiValues(JSON.parse(document.toString()))))
      expect(compact(readFileSync(fileOf(name), 'utf8'))).toBe(compact(text))
  })

  it('are the only place of enums and limits in the console: a field takes its limit from them', () => {
    const console = path.join(root, 'cloud-hub/console/src')
    const files = readdirSync(console, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.tsx'))
    const written = files.flatMap((file) =>
      Array.from(readFileSync(path.join(console, file), 'utf8').matchAll(/\b(?:min|max)Length=\{[\d_]+\}/g), () => file),
    )
    expect(written.toSorted()).toEqual(OF_CONFIG)
  })

  it.each(['console/build/openapi-typescript', 'test/api-clients'])(
    'are written by tools whose versions and contents a lockfile pins, without the address of a registry: %s',
    (tools) => {
      const file = path.join(root, 'cloud-hub', tools, 'package-lock.json')
      const { '': own, ...packages } = JSON.parse(readFileSync(file, 'utf8')).packages
      for (const version of Object.values(own.devDependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
      for (const [name, entry] of Object.entries<Record<string, string>>(packages))
        expect([name, /^sha512-/.test(entry.integrity ?? ''), entry.resolved]).toEqual([name, true, undefined])
    },
  )
})
