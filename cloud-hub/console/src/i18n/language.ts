import type { FaultCode } from '@haltless/protocol/faults'
import type { Language } from '@haltless/protocol/languages'
import { useSyncExternalStore } from 'react'
import type { en as enApp } from './en/app.ts'
import type { en as enBase } from './en/base.ts'
import type { en as enRefusals } from './en/refusals.ts'

export type Messages = typeof enBase & typeof enApp & typeof enRefusals

declare module 'use-intl' {
  interface AppConfig {
    Messages: Messages
    Locale: Language
  }
}

type FaultTexts = Record<FaultCode, string>

/** `base` is what the sign-in needs; `all` has the texts of the pages behind it too; no page waits for those of `later`. */
interface Parts {
  base: Partial<Messages>
  all: Partial<Messages>
  later: { refusals: Partial<Messages>; faults: FaultTexts }
}

/** From the build: the addresses of the parts. */
declare const CATALOGUES: Record<Language, Record<keyof Parts, string>>

/** Without a build. */
const SOURCES = {
  en: {
    base: () => import('./en/base.ts').then((it) => it.en),
    all: () => Promise.all([import('./en/base.ts'), import('./en/app.ts')]).then(([base, app]) => ({ ...base.en, ...app.en })),
    later: () =>
      Promise.all([import('./en/refusals.ts'), import('@haltless/protocol/faults')]).then(([it, { FAULT_TEXTS }]) => ({
        refusals: it.en,
        faults: FAULT_TEXTS as FaultTexts,
      })),
  },
  de: {
    base: () => import('./de/base.ts').then((it) => it.de),
    all: () => Promise.all([import('./de/base.ts'), import('./de/app.ts')]).then(([base, app]) => ({ ...base.de, ...app.de })),
    later: () =>
      Promise.all([import('./de/refusals.ts'), import('./de/faults.ts')]).then(([it, { faults }]) => ({
        refusals: it.de,
        faults: faults as FaultTexts,
      })),
  },
}

const ATTEMPTS = 3
const PAUSE_MS = 1_000

/** @throws where the hub cannot be reached */
async function load<P extends keyof Parts>(language: Language, part: P): Promise<Parts[P]> {
  if (!import.meta.env.PROD) return (await SOURCES[language][part]()) as unknown as Parts[P]
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await fetch(CATALOGUES[language][part])
      if (answer.ok) return (await answer.json()) as Parts[P]
      // an update of the hub has replaced it
      if (answer.status === 404) dispatchEvent(new Event('vite:preloadError'))
      throw new Error(`The texts of the console are answered with ${answer.status}.`)
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * attempt))
    }
  }
}

interface Catalogue {
  language: Language
  messages: Messages
  hasApp: boolean
  /** by code; null until they are loaded */
  faultTexts: FaultTexts | null
}

let catalogue: Catalogue = { language: 'en', messages: {} as Messages, hasApp: false, faultTexts: null }
const listeners = new Set<() => void>()

export const useCatalogue = (): Catalogue =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    () => catalogue,
  )

/** The first of these locales that numbers and dates can be written in. Some systems name one that is none, such as `en-US@posix`. */
export function formatLocaleOf(locales: readonly string[]): string {
  for (const locale of locales) {
    try {
      new Intl.NumberFormat(locale)
      return locale
    } catch {}
  }
  return 'en'
}

/** Loads the texts of a language, and shows the console in it. */
export async function loadLanguage(language: Language, { withApp = catalogue.hasApp } = {}): Promise<void> {
  if (catalogue.language === language && catalogue.messages.common && (catalogue.hasApp || !withApp)) return
  const messages = (await load(language, withApp ? 'all' : 'base')) as Messages
  document.documentElement.lang = language
  show({ language, messages, hasApp: withApp, faultTexts: null })
  // without them the hub's own sentences are shown
  load(language, 'later').then(
    ({ refusals, faults }) => {
      const messages = { ...catalogue.messages, ...refusals } as Messages
      if (catalogue.language === language) show({ ...catalogue, messages, faultTexts: faults })
    },
    () => {},
  )
}

function show(next: Catalogue): void {
  catalogue = next
  for (const listener of listeners) listener()
}

/** Loads the texts of the pages behind the sign-in. */
export const loadAppMessages = (): Promise<void> => loadLanguage(catalogue.language, { withApp: true })
