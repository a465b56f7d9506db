import { readdirSync } from 'node:fs'
import { keptPort } from '../../processes.ts'
import { soon } from '../call.ts'
import { installed, newPrograms } from './programs.ts'
import { asJson, type Tab } from './tab.ts'

const DRIVER = 'WebKitWebDriver'
const DISPLAY = 'Xvfb'

/** WebKitGTK's own browser: its library for GTK 3 has no dependency on a desktop. */
const browserProgram = (): string | null => {
  for (const folder of ['/usr/lib', '/usr/libexec', ...folders('/usr/lib')]) {
    const program = installed(`${folder}/webkit2gtk-4.1/MiniBrowser`)
    if (program) return program
  }
  return null
}
const folders = (parent: string) =>
  readdirSync(parent).flatMap((name) => (name.includes('-linux-gnu') ? [`${parent}/${name}`] : []))

/** Why this machine cannot run the tests with WebKitGTK, or null. */
export const noWebKit: string | null =
  installed(DRIVER) && installed(DISPLAY) && browserProgram()
    ? null
    : `${DRIVER}, MiniBrowser and ${DISPLAY} are not all installed (webkit2gtk-driver and xvfb of Debian)`

/** This driver reports nothing of the console, so the page keeps it: from the start of its document, before its modules run. */
const WATCH = `(() => {
  if (window.previousDocument) return false
  if (window.seenFaults) return true
  window.seenFaults = []
  const note = (kind) => (...values) => window.seenFaults.push(kind + ': ' + values.map((it) => (it?.stack ? it + " " + it.stack : String(it))).join(' '))
  for (const level of ['error', 'warn']) {
    const write = console[level]
    console[level] = (...values) => (note(level)(...values), write.apply(console, values))
  }
  addEventListener('error', (event) => note('error')(event.error ?? event.message ?? event.target?.src ?? event.target?.href), true)
  addEventListener('unhandledrejection', (event) => note('error')(event.reason))
  addEventListener('securitypolicyviolation', (event) => note('error')(event.violatedDirective, event.blockedURI))
  return true
})()`

/** Starts WebKitGTK on a display without a screen, and leads it by WebDriver. Source: W3C, "WebDriver" */
export async function startWebKit(): Promise<{ tab: Tab; version: string }> {
  const programs = await newPrograms('webkit')
  // the display listens on an abstract socket, so nothing is left in the folder for temporary files
  const screen = ['-displayfd', '1', '-nolisten', 'unix', '-nolisten', 'tcp', '-screen', '0', '1600x1200x24']
  const [, display] = await programs.start(DISPLAY, screen, {}, /^(\d+)\n/)
  const port = await keptPort()
  const env = { DISPLAY: `:${display}`, GDK_BACKEND: 'x11', NO_AT_BRIDGE: '1', LANG: 'en_GB.UTF-8' }
  await programs.start(DRIVER, [`--port=${port}`], env)
  const request = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method, ...(body ? { body: JSON.stringify(body) } : {}) })
    const { value } = (await answer.json()) as { value: unknown }
    const { error, message } = (value ?? {}) as { error?: string; message?: string }
    if (error) throw new Error(`${path.split('/').pop()}: ${error}: ${message}`)
    return value
  }
  await soon(() => request('GET', '/status').catch(() => null))
  // Full screen, because the tool bar is wider than a phone.
  const options = { binary: browserProgram(), args: ['--automation', '--full-screen'] }
  const capabilities = { alwaysMatch: { pageLoadStrategy: 'none', 'webkitgtk:browserOptions': options } }
  const made = (await request('POST', '/session', { capabilities })) as {
    sessionId: string
    capabilities: { browserVersion: string }
  }
  const send = (command: string, body: object = {}) => request('POST', `/session/${made.sessionId}/${command}`, body)
  const evaluate = async <T>(expression: string): Promise<T> =>
    JSON.parse((await send('execute/sync', { script: `return ${asJson(expression)}`, args: [] })) as string)
  /** Leaves the document with an action, and waits until the next one is complete. */
  const leave = async (action: () => Promise<unknown>) => {
    await evaluate('window.previousDocument = true')
    await action()
    await soon(() => evaluate<boolean>(WATCH).catch(() => false))
    await soon(() => evaluate<boolean>('document.readyState === "complete"'))
  }
  const act = (type: string, actions: object[]) => send('actions', { actions: [{ type, id: type, actions }] })
  const tab: Tab = {
    open: (url) => leave(() => send('url', { url })),
    reload: () => leave(() => send('refresh')),
    evaluate,
    press: async (x, y) => {
      await act('pointer', [
        { type: 'pointerMove', x, y, duration: 0 },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ])
    },
    type: async (text) => {
      await act(
        'key',
        [...text].flatMap((value) => ['keyDown', 'keyUp'].map((type) => ({ type, value }))),
      )
    },
    resize: async (width, height) => void (await send('window/rect', { width, height })),
    screenshot: async () => {
      const picture = await request('GET', `/session/${made.sessionId}/screenshot`)
      return Buffer.from(picture as string, 'base64')
    },
    faults: () => evaluate('window.seenFaults?.splice(0) ?? []'),
    close: async () => {
      await request('DELETE', `/session/${made.sessionId}`).catch(() => {})
      await programs.end()
    },
  }
  return { tab, version: `WebKitGTK ${made.capabilities.browserVersion}` }
}
