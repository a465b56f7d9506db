import { useTranslations } from 'use-intl'
import { Dialog } from '../kit/dialog.tsx'
import type { Entry } from './entries.ts'
import { useFinderTexts } from './finder-texts.ts'
import { isMac } from './is-mac.ts'
import { SingleKeysSwitch } from './single-keys-switch.tsx'
import { LETTERS } from './use-keys.ts'

/** Lists the keys, and switches those of a single character off. */
export function KeysDialog({ entries, onClose }: { entries: readonly Entry[]; onClose(): void }) {
  const t = useTranslations()
  const texts = useFinderTexts()
  const keys: [text: string, keys: string[]][] = [
    [t('finder.title'), [isMac ? '⌘' : t('finder.ctrl'), 'K']],
    [texts.toFilter, ['/']],
    [t('finder.keys'), ['?']],
    ...entries.map(({ text }): [string, string[]] => [t(`nav.${text}`), ['g', LETTERS[text]]]),
  ]
  return (
    <Dialog title={t('finder.keys')} onClose={onClose}>
      <SingleKeysSwitch />
      <dl className="grid grid-cols-[1fr_auto] items-center gap-x-4 gap-y-2">
        {keys.map(([text, pressed]) => (
          <div key={text} className="contents">
            <dt>{text}</dt>
            <dd className="flex gap-1">
              {pressed.map((key, place) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: `g g` has one key twice
                <Key key={place}>{key}</Key>
              ))}
            </dd>
          </div>
        ))}
      </dl>
      <p className="text-sm text-soft">
        {t('nav.alerts')}: {t('alerts.keys')}
      </p>
    </Dialog>
  )
}

const Key = ({ children }: { children: string }) => (
  <kbd className="min-w-7 rounded-md border border-line bg-raised px-1.5 py-0.5 text-center text-sm">{children}</kbd>
)
