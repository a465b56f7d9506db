import { languageOf } from '@haltless/protocol/languages'
import './app.css'
import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { startSession, wasSignedIn } from './api/session.ts'
import { queryClient } from './app/query-client.ts'
import { logCaughtError, reloadForNewFiles } from './app/reload.ts'
import { router } from './app/router.tsx'
import { followTheme } from './app/theme.ts'
import { formatLocaleOf, loadLanguage } from './i18n/language.ts'

// uPlot makes a number format of this as it loads, and fails where a system names a locale that is none
const locale = formatLocaleOf([navigator.language])
if (locale !== navigator.language) Object.defineProperty(navigator, 'language', { value: locale })
followTheme()
reloadForNewFiles()

/** A slow line shows the fallback of the typeface rather than nothing. */
const TYPEFACE_MS = 1_000
/** The font comes while the scripts do: the first text has it already. */
const typeface = () =>
  Promise.race([
    Promise.all(['400 1rem Inter', '600 1rem Inter'].map((font) => document.fonts.load(font))).catch(() => {}),
    new Promise((resolve) => setTimeout(resolve, TYPEFACE_MS)),
  ])
await Promise.all([
  typeface(),
  loadLanguage(languageOf(...navigator.languages), { withApp: wasSignedIn() }),
  startSession({ isAfterSso: /[?&]sso=1/.test(location.search) }),
])
createRoot(document.getElementById('root') as HTMLElement, { onCaughtError: logCaughtError }).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
)
if ('serviceWorker' in navigator && import.meta.env.PROD) navigator.serviceWorker.register('/sw.js').catch(() => {})
