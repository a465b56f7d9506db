import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { SelectField } from '../kit/field.tsx'
import { Icon } from '../kit/icon.tsx'
import { useMeIfKnown } from './me.tsx'
import { SignOutButton } from './sign-out-button.tsx'
import { currentTheme, setTheme, type Theme } from './theme.ts'

/** Who is signed in, the colours, and the way out. */
export function UserMenu() {
  const t = useTranslations('userMenu')
  const user = useMeIfKnown()?.user
  const [theme, choose] = useState(currentTheme)
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-3">
      {user ? (
        <div className="flex items-center gap-2.5 px-2">
          <Icon name="person" className="size-6 text-soft" />
          <div className="min-w-0">
            <p className="truncate font-semibold">{user.full_name}</p>
            <p className="truncate text-sm text-soft">{user.email}</p>
          </div>
        </div>
      ) : null}
      <SelectField
        label={t('theme')}
        value={theme}
        actsAtOnce
        onChange={({ target }) => {
          setTheme(target.value as Theme)
          choose(target.value as Theme)
        }}
        options={[
          ['system', t('themeSystem')],
          ['light', t('themeLight')],
          ['dark', t('themeDark')],
        ]}
      />
      <SignOutButton />
    </div>
  )
}
