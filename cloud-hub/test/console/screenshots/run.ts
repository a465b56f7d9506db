import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { startBenchHub } from '../../../bench/environment.ts'
import { ensureConsole } from '../../../src/console-build.ts'
import { noBrowser, startChromium } from '../chromium.ts'
import { newCompany } from './company.ts'
import { fillCompany } from './full-plant.ts'
import { sendReadings } from './machines.ts'
import { contactSheet, type Picture } from './sheet.ts'
import { isPhoneWidth, LANGUAGES, type Language, photograph, SCHEMES, viewsOf, WIDTHS } from './views.ts'

/**
 * `npm run screenshots [-- --only PATH] [--width N] [--language de] [--dark] [--empty] [--short] [--out FOLDER]`: writes pictures of all pages of the
 * console to `screenshots/` or the folder of `--out`, with an `index.html` that shows them: at 390, 1280 and 1920 pixels, light and dark, in English and
 * German, of a plant with everything and of an empty company. The options choose among them; `--short` takes a few pages in one size. It
 * ends with an error when a page reports one or does not appear.
 */
/** Machines without newer readings would become offline in a long run. */
const SEND_MS = 20_000

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    width: { type: 'string' },
    language: { type: 'string' },
    dark: { type: 'boolean' },
    empty: { type: 'boolean' },
    short: { type: 'boolean' },
    out: { type: 'string' },
  },
})

const FOLDER = path.resolve(options.out ?? path.join(import.meta.dirname, '../../../../screenshots'))

/** Pages of `--short`: the sign-in, and one of each area that draws something of its own. */
const SHORT_PATHS = ['/sign-in', '/', '/machines', '/alerts', '/work-orders', '/settings?tab=audit']

const widths = options.width ? [Number(options.width)] : options.short ? [1280] : WIDTHS
const schemes = options.dark ? (['dark'] as const) : options.short ? (['light'] as const) : SCHEMES
const language = options.language ?? (options.short ? 'en' : undefined)
const languages = (Object.keys(LANGUAGES) as Language[]).filter((it) => it === (language ?? it))
if (languages.length === 0 || !widths.every((width) => width >= 200)) {
  process.stderr.write(`--language is one of ${Object.keys(LANGUAGES).join(', ')}; --width is a number from 200\n`)
  process.exit(2)
}

const say = (text: string) => process.stderr.write(`${text}\n`)
if (noBrowser) say(`Not run: ${noBrowser}`)
else await run()

async function run(): Promise<void> {
  await ensureConsole(say)
  const hub = await startBenchHub()
  const browser = await startChromium()
  let sending: ReturnType<typeof setInterval> | undefined
  try {
    say('Filling the plant')
    const [full, empty] = [await newCompany(hub.url, 'Nordwerk Maschinenbau'), await newCompany(hub.url, 'New company')]
    const ids = await fillCompany(full, hub.owner)
    sending = setInterval(() => sendReadings(full).catch((error) => say(String(error))), SEND_MS)
    const views = viewsOf(ids)
      .filter((view) => view.path.includes(options.only ?? ''))
      .filter((view) => !options.short || (!view.opens && !view.isPrint && SHORT_PATHS.includes(view.path)))
    const faults: string[] = []
    const onFault = (fault: string) => faults.push(fault)
    mkdirSync(FOLDER, { recursive: true })
    const pictures: Picture[] = []
    for (const company of options.empty ? [empty] : options.short ? [full] : [full, empty])
      for (const language of languages) {
        const isEmpty = company === empty
        // an empty company has no page of one thing
        const shown = isEmpty ? views.filter(({ path }) => !Object.values(ids).some((id) => path.includes(id))) : views
        for (const some of [widths.filter(isPhoneWidth), widths.filter((width) => !isPhoneWidth(width))]) {
          if (some.length === 0) continue
          const given = { url: hub.url, email: company.email, language, views: shown, widths: some, schemes, onFault }
          for await (const { shot, png } of photograph(browser, given)) {
            const file = `${shot.name}-${language}${isEmpty ? '-empty' : ''}.png`
            writeFileSync(path.join(FOLDER, file), png)
            pictures.push({ ...shot, file, language, isEmpty })
            say(`${pictures.length} ${file}${shot.overflows ? ' is wider than the window' : ''}`)
          }
        }
      }
    writeFileSync(path.join(FOLDER, 'index.html'), contactSheet(pictures))
    say(`Open ${path.join(FOLDER, 'index.html')}`)
    if (faults.length > 0) say(`Pages reported errors:\n${faults.join('\n')}`)
    if (faults.length > 0 || pictures.length === 0) process.exitCode = 1
  } finally {
    clearInterval(sending)
    await browser.close()
    await hub.close()
  }
}
