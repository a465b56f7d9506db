import { useTranslations } from 'use-intl'
import { CheckField } from '../kit/field.tsx'
import { switchSingleKeys, useSingleKeys } from './single-keys.ts'

/** Shortcuts of a single character, on or off. */
export function SingleKeysSwitch() {
  const t = useTranslations('finder')
  const isOn = useSingleKeys()
  return (
    <CheckField
      label={t('singleKeys')}
      hint={t('singleKeysHint')}
      data-acts-at-once
      checked={isOn}
      onChange={({ target }) => switchSingleKeys(target.checked)}
    />
  )
}
