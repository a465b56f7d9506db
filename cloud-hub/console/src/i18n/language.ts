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

/** `base` is what the sign-in needs; `app` is the rest, loaded after it; no page waits for `refusals` and `faults`. */
const PARTS = {
  en: {
    base: () => import('./en/base.ts').then((it) => it.en),
    app: () => import('./en/app.ts').then((it) => it.en),
    refusals: () => import('./en/refusals.ts').then((it) => it.en),
    faults: () => import('@haltless/protocol/faults').then((it): FaultTexts => it.FAULT_TEXTS),
  },
  de: {
    base: () => import('./de/base.ts').then((it) => it.de),
    app: () => import('./de/app.ts').then((it) => it.de),
    refusals: () => import('./de/refusals.ts').then((it) => it.de),
    faults: () => import('./de/faults.ts').then((it): FaultTexts => it.faults),
  },
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
  const parts = await Promise.all([PARTS[language].base(), withApp ? PARTS[language].app() : {}])
  document.documentElement.lang = language
  show({ language, messages: Object.assign({}, ...parts) as Messages, hasApp: withApp, faultTexts: null })
  // without them the hub's own sentences are shown
  Promise.all([PARTS[language].refusals(), PARTS[language].faults()]).then(
    ([refusals, faultTexts]) => {
      const messages = { ...catalogue.messages, ...refusals } as Messages
      if (catalogue.language === language) show({ ...catalogue, messages, faultTexts })
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
