import type { Browser, Page, Request } from 'playwright-core'
import { PASSWORD } from '../../harness.ts'
import { pathsOf, type ShownIds } from '../paths.ts'

export const WIDTHS = [390, 1280, 1920]
export const LANGUAGES = { en: 'en-GB', de: 'de-DE' } as const
export type Language = keyof typeof LANGUAGES
export const SCHEMES = ['light', 'dark'] as const
type Scheme = (typeof SCHEMES)[number]

/** Something to photograph: a page, its print, or a dialog that a button of the page opens. */
export interface View {
  path: string
  /** the button's name in each language */
  opens?: RegExp
  isPrint?: boolean
}

export interface Shot {
  name: string
  view: View
  width: number
  scheme: Scheme
  /** the page is wider than the window */
  overflows: boolean
}

export const isPhoneWidth = (width: number) => width < 600

/** Longer pages are cut. */
const MAX_HEIGHT = 8_000
/** The paper of a print is 210 mm wide, in CSS pixels. */
const PAPER_WIDTH = 794

const DIALOGS: [path: string, opens: RegExp][] = [
  ['/', /^(More|Mehr)$/],
  ['/machines', /^(Add a machine|Maschine anlegen)$/],
  ['/machines', /^(Import|Importieren)$/],
  ['/machines/groups', /^(Add a group|Gruppe hinzufügen)$/],
  ['/work-orders', /^(Create a work order|Auftrag anlegen)$/],
  ['/maintenance', /^(Plan maintenance|Wartung planen)$/],
  ['/maintenance', /^(Subscribe|Abonnieren)$/],
  ['/rules', /^(Add a rule|Regel hinzufügen)$/],
  ['/rules?tab=composites', /^(Combine conditions|Bedingungen kombinieren)$/],
  ['/rules?tab=channels', /^(Add a channel|Kanal hinzufügen)$/],
  ['/operations?tab=downtime', /^(Enter downtime|Stillstand eintragen)$/],
  ['/operations?tab=shifts', /^(Define a shift|Schicht anlegen)$/],
  ['/operations?tab=shifts', /^(Plant calendar|Werkskalender)$/],
  ['/erp', /^(Connect an ERP|ERP verbinden)$/],
  ['/settings?tab=members', /^(Add a member|Mitglied hinzufügen)$/],
]

export function viewsOf(ids: ShownIds): View[] {
  return [
    { path: '/sign-in' },
    ...pathsOf(ids, new Date().toISOString().slice(0, 10)).map((path) => ({ path })),
    { path: `/machines/${ids.machine}`, isPrint: true },
    ...DIALOGS.map(([path, opens]) => ({ path, opens })),
  ]
}

/** A name for files: the address without ids, and what is open on it. */
export function nameOf({ path, opens, isPrint }: View): string {
  const address = path.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, 'one').replace(/[?&]date=[^&]*/, '')
  const dialog = opens ? ` dialog ${opens.source.split('|')[0]}` : isPrint ? ' print' : ''
  return (
    (address + dialog)
      .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
      .replace(/^-|-$/g, '')
      .toLowerCase()
      .slice(0, 60) || 'overview'
  )
}

/** Signs in where an e-mail address is given, visits the views and takes each picture; full pages, without motion. */
export async function* photograph(
  browser: Browser,
  given: {
    url: string
    email: string
    language: Language
    views: View[]
    widths: number[]
    schemes: readonly Scheme[]
    /** learns of what a page reports as wrong */
    onFault(fault: string): void
  },
): AsyncGenerator<{ shot: Shot; png: Buffer }> {
  const { url, language, views, widths, schemes } = given
  const options = { locale: LANGUAGES[language], timezoneId: 'Europe/Berlin', reducedMotion: 'reduce' } as const
  // all of these widths are of phones, or none
  const isPhone = isPhoneWidth(widths[0] ?? 0)
  const start = { width: widths[0] ?? 0, height: isPhone ? 844 : 900 }
  const context = await browser.newContext({ ...options, viewport: start, isMobile: isPhone, hasTouch: isPhone })
  context.setDefaultTimeout(30_000)
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') given.onFault(`${page.url()}: ${message.text()} (${message.location().url})`)
  })
  page.on('pageerror', (error) => given.onFault(`${page.url()}: ${error.stack ?? error.message}`))
  const isLoading = watchRequests(page)
  await page.goto(url)
  const email = page.locator('input[name=email]')
  await email.waitFor()
  const take = async (view: View, name: string, width: number, scheme: Scheme) => {
    await page.emulateMedia({ media: view.isPrint ? 'print' : 'screen', colorScheme: scheme })
    await page.setViewportSize({ ...start, width })
    await settled(page, isLoading)
    // bars that are fixed to the window stand at its end, so the window becomes as high as the page
    const height = view.opens ? start.height : await page.evaluate<number>('document.documentElement.scrollHeight')
    await page.setViewportSize({ width, height: Math.min(height, MAX_HEIGHT) })
    await settled(page, isLoading)
    const overflows = await page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')
    const png = await page.screenshot({ type: 'png' })
    return { shot: { name: `${name}-${width}-${scheme}`, view, width, scheme, overflows }, png }
  }
  let isSignedIn = false
  for (const view of views) {
    if (view.path !== '/sign-in') {
      if (!isSignedIn) await signIn(page, given.email)
      isSignedIn = true
      await page.emulateMedia({ media: 'screen' })
      await page.setViewportSize(start)
      await page.goto(url + view.path)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await settled(page, isLoading)
      if (view.opens && !(await opened(page, view.opens))) continue
    }
    for (const scheme of schemes)
      for (const width of view.isPrint ? (isPhone ? [] : [PAPER_WIDTH]) : widths)
        yield await take(view, nameOf(view), width, scheme)
  }
  await context.close()
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.locator('input[name=email]').fill(email)
  await page.locator('input[type=password]').fill(PASSWORD)
  await page.keyboard.press('Enter')
  await page.waitForURL((url) => url.pathname !== '/sign-in')
}

/** @returns false where the page has no such button, as an empty one may */
async function opened(page: Page, name: RegExp): Promise<boolean> {
  const button = page.getByRole('button', { name }).first()
  if ((await button.count()) === 0) return false
  await button.click()
  await page.getByRole('dialog').waitFor()
  return true
}

/** Knows which requests of a page are under way; the stream of events never ends. */
function watchRequests(page: Page): () => boolean {
  const open = new Set<Request>()
  page.on('request', (request) => new URL(request.url()).pathname.endsWith('/stream') || open.add(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  return () => open.size > 0
}

/** Nothing is being loaded, and what was loaded is drawn. */
async function settled(page: Page, isLoading: () => boolean): Promise<void> {
  for (let quiet = 0; quiet < 3; quiet = isLoading() || (await page.locator('.skeleton').count()) > 0 ? 0 : quiet + 1)
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))')
}
