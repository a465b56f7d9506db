import { useTranslations } from 'use-intl'
import { Icon } from '../kit/icon.tsx'
import { isMac } from './is-mac.ts'

/** Opens the finder, and says which key does. */
export function FindButton({ onPress }: { onPress(): void }) {
  const t = useTranslations()
  return (
    <button
      type="button"
      aria-haspopup="dialog"
      aria-keyshortcuts={isMac ? 'Meta+K' : 'Control+K'}
      className="flex w-full items-center gap-3 rounded-lg border border-line px-3 py-1.5 text-soft hover:bg-raised"
      onClick={onPress}
    >
      <Icon name="search" />
      {t('nav.find')}
      <span aria-hidden="true" className="ml-auto text-xs">
        {isMac ? '⌘K' : `${t('finder.ctrl')} K`}
      </span>
    </button>
  )
}
