import { CheckField } from '../kit/field.tsx'
import { useFinderTexts } from './finder-texts.ts'
import { switchSingleKeys, useSingleKeys } from './single-keys.ts'

/** Shortcuts of a single character, on or off. */
export function SingleKeysSwitch() {
  const texts = useFinderTexts()
  const isOn = useSingleKeys()
  return (
    <CheckField
      label={texts.singleKeys}
      hint={texts.singleKeysHint}
      data-acts-at-once
      checked={isOn}
      onChange={({ target }) => switchSingleKeys(target.checked)}
    />
  )
}
