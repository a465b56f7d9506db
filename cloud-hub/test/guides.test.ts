import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TOKEN_SCOPES } from '../src/features/people/accounts/token-scopes.ts'
import type { RunningHub } from '../src/hub.ts'
import { newPlant, type Plant } from './console/plant.ts'
import { useRunningHubs } from './running-hub.ts'
import { soon } from './soon.ts'

/** The examples of the guides, run as they stand: by sh with curl, by Node with the client, by Python with its standard library. */
const GUIDES = path.join(import.meta.dirname, '../docs/api')
const CLIENT = pathToFileURL(path.join(import.meta.dirname, '../client/src/index.ts')).href
const LANGUAGES = ['sh', 'ts', 'py'] as const
type Language = (typeof LANGUAGES)[number]
const RUN_MS = 60_000
/** longer than the readings of a round are apart */
const ROUND_MS = 2_000

const hubs = useRunningHubs({ OUTBOUND_ALLOW: '127.0.0.0/8' })
let hub: RunningHub
let plant: Plant
const folder = mkdtempSync(path.join(tmpdir(), 'haltless-guides-'))
beforeAll(async () => {
  hub = await hubs.start()
  plant = await newPlant(hub)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const readGuide = (guide: string) => readFileSync(path.join(GUIDES, `${guide}.md`), 'utf8')

/** @param kind the word after the language, by which a guide marks what is not part of its walk */
function codeOf(guide: string, language: Language, kind = ''): string {
  const blocks = [...readGuide(guide).matchAll(/^```(\w+) ?(\w*)\n([\s\S]*?)^```$/gm)]
  const code = blocks.filter(([, of, word]) => of === language && word === kind).map(([, , , body]) => body)
  if (code.length === 0) throw new Error(`${guide} has no ${kind} example in ${language}`)
  return code.join('\n')
}

/** The variables that a guide tells its reader to set, of those that a test has. */
function asked(guide: string, language: Language, has: Record<string, string>): Record<string, string> {
  const names = [...codeOf(guide, language, 'setup').matchAll(/^(?:const )?(\w+) ?=/gm)].map(([, name]) => name as string)
  return Object.fromEntries(names.map((name) => [name, has[name] as string]))
}

/** Runs the walk of a guide. @returns what it printed */
const walk = (guide: string, language: Language, has: Record<string, string>) =>
  run(language, codeOf(guide, language), asked(guide, language, has))

/** Runs code with these variables. @returns what it printed */
async function run(language: Language, code: string, variables: Record<string, string>, rest = ''): Promise<string> {
  const file = path.join(folder, `example.${language === 'ts' ? 'mts' : language}`)
  const given = Object.entries(variables)
  const begin = {
    sh: () => ['set -e', ...given.map(([name, value]) => `${name}='${value}'`)],
    ts: () => given.map(([name, value]) => `const ${name} = ${JSON.stringify(value)}`),
    py: () => given.map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
  }[language]()
  writeFileSync(file, [...begin, code.replaceAll("'@haltless/client'", `'${CLIENT}'`), rest].join('\n'))
  const program = { sh: 'sh', ts: process.execPath, py: 'python3' }[language]
  const { stdout } = await promisify(execFile)(program, [file], { timeout: RUN_MS })
  return stdout
}

const urlFor = (language: Language) => (language === 'ts' ? hub.url : `${hub.url}/api/v1`)
/** A token for these scopes, or for all. */
async function credentials(language: Language, scopes: readonly string[] = TOKEN_SCOPES) {
  const { token } = await plant.call('POST', 'tokens', { name: 'guides', scopes, expires_in_days: 1 })
  return { url: urlFor(language), token: token as string, key: plant.key }
}

describe.each(LANGUAGES)('in %s', (language) => {
  it('the first readings raise the alert of the guide, with a token of the scopes that it names', async () => {
    const [, named = ''] = /^scopes ([^.]*?) for everything/ms.exec(readGuide('first-readings')) ?? []
    const scopes = [...named.matchAll(/`([\w:]+)`/g)].map(([, scope]) => scope as string)
    const has = await credentials(language, scopes)
    await walk('first-readings', language, has)
    // again: it disturbs nothing that is there
    const printed = await walk('first-readings', language, has)
    expect(printed).toContain('above the critical threshold of 7.1')
  })

  it('a service account gets a token, with which its program reads', async () => {
    const printed = await walk('tokens', language, { url: urlFor(language), session: plant.token })
    expect(printed).toContain(plant.identifier)
  })

  it('a list is read to its end with cursors', async () => {
    for (const value of [95, 70, 70, 70, 95]) await plant.send(value)
    const { pagination } = await plant.call('GET', 'alerts?severity=critical')
    const code = codeOf('pagination', language)
      .replaceAll('page_size=100', 'page_size=1')
      .replaceAll('"page_size": 100', '"page_size": 1')
    const printed = await run(language, code, asked('pagination', language, await credentials(language)))
    expect(printed.match(/ is above the critical threshold|above the critical threshold/g)?.length).toBeGreaterThanOrEqual(
      pagination.total,
    )
  })

  it('an order is made once, and changed by who knows its version', async () => {
    const { id: machineId } = await plant.call('POST', 'machines', {
      name: 'M',
      machine_identifier: `changes-${language}`,
      protocol: 'json',
    })
    await walk('changes', language, { ...(await credentials(language)), machine_id: machineId })
    const { items } = await plant.call('GET', `work-orders?machine_id=${machineId}`)
    expect(items).toMatchObject([{ title: 'Replace the bearing', priority: 'high' }])
  })

  it('what is left of a limit is shown, and a refusal has its code', async () => {
    expect(await walk('limits', language, await credentials(language))).toMatch(/600/)
    expect(await walk('errors', language, await credentials(language))).toContain('machine_not_found')
  })

  it('a stream is followed until an alert comes', async () => {
    let isOver = false
    const followed = walk('streams', language, await credentials(language)).finally(() => {
      isOver = true
    })
    // an alert that was raised before the stream began is not sent, so there is one after the other
    while (!isOver) {
      const values = [70, 70, 70, 95].map((value, i) => ({ machine: plant.identifier, value, ago: (3 - i) / 120 }))
      await plant.sendAll(values)
      await Promise.race([followed, setTimeout(ROUND_MS)])
    }
    expect(await followed).toContain('alert')
  })

  it.each([
    ['a text', 'a secret of this test'],
    ['of a library', `whsec_${Buffer.from('a secret of this test as well').toString('base64')}`],
  ])(
    'a webhook with a secret that is %s is made, and its requests are verified; those of others are not',
    async (_is, secret) => {
      const received: { headers: Record<string, string>; body: string }[] = []
      const server = createServer((request, response) => {
        const parts: Buffer[] = []
        request
          .on('data', (part: Buffer) => parts.push(part))
          .on('end', () => {
            received.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(parts).toString() })
            response.writeHead(204).end()
          })
      })
      await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
      const receiver = `http://127.0.0.1:${(server.address() as { port: number }).port}/${language}`
      try {
        await walk('webhooks', language, { ...(await credentials(language)), receiver, secret })
        for (const value of [70, 70, 70, 95]) await plant.send(value)
        await soon(() => expect(received).not.toEqual([]))
      } finally {
        await new Promise((done) => server.close(done))
      }
      const [first] = received as [(typeof received)[0]]
      const verified = async ({ headers, body }: typeof first) => {
        writeFileSync(path.join(folder, 'body'), body)
        const [id, at, signature] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(
          (name) => headers[name] as string,
        )
        const all = JSON.stringify({ 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature })
        const file = path.join(folder, 'body')
        const check = {
          sh: `if verify '${id}' '${at}' '${signature}' < '${file}'; then echo true; else echo false; fi`,
          ts: `import { readFileSync } from 'node:fs'\nconsole.log(verify(${all}, readFileSync('${file}')))`,
          py: `print(str(verify(${all}, open("${file}", "rb").read())).lower())`,
        }[language]
        return (await run(language, codeOf('webhooks', language, 'verify'), { secret }, check)).trim()
      }
      expect(await verified(first)).toBe('true')
      expect(await verified({ ...first, body: `${first.body} ` })).toBe('false')
      const old = { ...first.headers, 'webhook-timestamp': String(Math.floor(Date.now() / 1000) - 301) }
      expect(await verified({ ...first, headers: old })).toBe('false')
      expect(await verified({ ...first, headers: { ...first.headers, 'webhook-timestamp': 'x' } })).toBe('false')
      const several = `v1,bm90aGluZw== ${first.headers['webhook-signature']}`
      expect(await verified({ ...first, headers: { ...first.headers, 'webhook-signature': several } })).toBe('true')
    },
  )
})
