import { useTranslations } from 'use-intl'
import { SingleKeysSwitch } from '../../app/single-keys-switch.tsx'
import { Panel } from '../../kit/layout.tsx'

/** Shortcuts of a single key, which WCAG 2.1.4 lets a person switch off. */
export function KeysPanel() {
  const t = useTranslations('finder')
  return (
    <Panel title={t('keys')}>
      <div className="p-4">
        <SingleKeysSwitch />
      </div>
    </Panel>
  )
}
