import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, unwrap } from '../api/client.ts'
import { signedOut } from '../api/session.ts'
import { Button } from '../kit/button.tsx'
import { SelectField } from '../kit/field.tsx'
import { Icon } from '../kit/icon.tsx'
import { useMe } from './me.tsx'
import { endPush } from './push.ts'
import { currentTheme, setTheme, type Theme } from './theme.ts'

/** Who is signed in, the colours, and the way out. */
export function UserMenu() {
  const t = useTranslations('userMenu')
  const { user } = useMe()
  const [theme, choose] = useState(currentTheme)
  const signOut = useMutation({
    mutationFn: async () => {
      // the next person at this computer must not read the messages of the last one
      await endPush().catch(() => {})
      await unwrap(api.POST('/auth/logout'))
    },
    // a hub that is away must not keep a person signed in at a shared computer
    onSettled: () => signedOut('signed_out'),
  })
  return (
    <div className="flex flex-col gap-3 border-t border-line pt-3">
      <div className="flex items-center gap-2.5 px-2">
        <Icon name="person" className="size-6 text-soft" />
        <div className="min-w-0">
          <p className="truncate font-semibold">{user.full_name}</p>
          <p className="truncate text-sm text-soft">{user.email}</p>
        </div>
      </div>
      <SelectField
        label={t('theme')}
        value={theme}
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
      <Button onPress={() => signOut.mutate()} isPending={signOut.isPending}>
        {t('signOut')}
      </Button>
    </div>
  )
}
