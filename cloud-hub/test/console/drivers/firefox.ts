import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { WebSocket } from 'ws'
import { installed, newPrograms } from './programs.ts'
import { asJson, type Tab } from './tab.ts'

const PROGRAM = 'firefox-esr'

/** Why this machine cannot run the tests with Firefox, or null. */
export const noFirefox: string | null = installed(PROGRAM) ? null : `${PROGRAM} is not installed`

/** Nothing but this machine can be reached: what Firefox asks Mozilla by itself goes to a proxy that is not there. */
const PREFERENCES: Record<string, string | number | boolean> = {
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': 9,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': 9,
  'intl.locale.requested': 'en-GB',
  'intl.accept_languages': 'en-GB',
  'ui.prefersReducedMotion': 1,
}

/** The method of WebDriver BiDi, its parameters, and its result. Source: W3C, "WebDriver BiDi" */
type Send = (method: string, params: object) => Promise<Record<string, unknown>>

interface LogEntry {
  level: string
  text: string | null
  source?: { context?: string }
}

/** @returns how commands are sent, and the console's entries, which come with events */
async function connect(url: string): Promise<{ send: Send; entries: LogEntry[]; end: () => void }> {
  const socket = new WebSocket(`${url}/session`)
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>>>()
  const entries: LogEntry[] = []
  socket.on('message', (message) => {
    const { type, id, result, method, params, error, message: detail } = JSON.parse(String(message))
    if (type === 'event' && method === 'log.entryAdded') entries.push(params)
    const waiter = waiting.get(id)
    waiting.delete(id)
    if (type === 'success') waiter?.resolve(result)
    if (type === 'error') waiter?.reject(new Error(`${error}: ${detail}`))
  })
  socket.on('close', () => {
    for (const waiter of waiting.values()) waiter.reject(new Error('Firefox has ended'))
  })
  let commands = 0
  const send: Send = (method, params) => {
    const id = ++commands
    const waiter = Promise.withResolvers<Record<string, unknown>>()
    waiting.set(id, waiter)
    socket.send(JSON.stringify({ id, method, params }))
    return waiter.promise
  }
  return { send, entries, end: () => socket.close() }
}

/** Starts Firefox ESR without a window, and leads its first tab by WebDriver BiDi. */
export async function startFirefox(): Promise<{ tab: Tab; version: string }> {
  const programs = await newPrograms('firefox')
  const profile = path.join(programs.folder, 'profile')
  await mkdir(profile)
  const lines = Object.entries(PREFERENCES).map((it) => `user_pref(${it.map((value) => JSON.stringify(value)).join(', ')});\n`)
  await writeFile(path.join(profile, 'user.js'), lines.join(''))
  const args = ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', profile]
  const [, url = ''] = await programs.start(PROGRAM, args, {}, /WebDriver BiDi listening on (\S+)/)
  const { send, entries, end } = await connect(url)
  const { capabilities } = (await send('session.new', { capabilities: {} })) as { capabilities: { browserVersion: string } }
  await send('session.subscribe', { events: ['log.entryAdded'] })
  const { contexts } = (await send('browsingContext.getTree', { maxDepth: 0 })) as { contexts: { context: string }[] }
  const context = contexts[0]?.context
  const act = (type: string, parameters: object, actions: object[]) =>
    send('input.performActions', { context, actions: [{ type, id: type, ...parameters, actions }] })
  const tab: Tab = {
    open: async (address) => void (await send('browsingContext.navigate', { context, url: address, wait: 'complete' })),
    reload: async () => void (await send('browsingContext.reload', { context, wait: 'complete' })),
    evaluate: async (expression) => {
      const parameters = { target: { context }, expression: asJson(expression), awaitPromise: true, userActivation: false }
      const answer = (await send('script.evaluate', parameters)) as {
        result?: { value: string }
        exceptionDetails?: { text: string }
      }
      if (!answer.result) throw new Error(`${answer.exceptionDetails?.text} in ${expression}`)
      return JSON.parse(answer.result.value)
    },
    press: async (x, y) => {
      const actions = [
        { type: 'pointerMove', x, y },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ]
      await act('pointer', { parameters: { pointerType: 'mouse' } }, actions)
    },
    type: async (text) => {
      const keys = [...text].flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value })))
      await act('key', {}, keys)
    },
    resize: async (width, height) => void (await send('browsingContext.setViewport', { context, viewport: { width, height } })),
    screenshot: async () => Buffer.from((await send('browsingContext.captureScreenshot', { context })).data as string, 'base64'),
    faults: async () => entries.splice(0).flatMap(({ level, text }) => (/error|warn/.test(level) ? [`${level}: ${text}`] : [])),
    close: async () => {
      await send('browser.close', {}).catch(() => {})
      end()
      await programs.end()
    },
  }
  return { tab, version: `Firefox ESR ${capabilities.browserVersion}` }
}
