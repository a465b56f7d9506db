import { keep, kept } from '../api/storage.ts'

/** Dark or light: as the person chose, else as the operating system says. */
export type Theme = 'system' | 'light' | 'dark'

const KEY = 'haltless.theme'
const dark = matchMedia('(prefers-color-scheme: dark)')

export const currentTheme = (): Theme => (kept(KEY) as Theme | null) ?? 'system'

function apply(): void {
  const theme = currentTheme()
  document.documentElement.dataset.theme = theme === 'system' ? (dark.matches ? 'dark' : 'light') : theme
}

export function setTheme(theme: Theme): void {
  keep(KEY, theme === 'system' ? null : theme)
  apply()
}

export function followTheme(): void {
  dark.addEventListener('change', apply)
  // another tab has changed it
  addEventListener('storage', apply)
  // paper is light; charts are drawn anew for it
  addEventListener('beforeprint', () => {
    document.documentElement.dataset.theme = 'light'
  })
  addEventListener('afterprint', apply)
  apply()
}
