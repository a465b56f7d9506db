import { useMutation } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, unwrap } from '../api/client.ts'
import { signedOut, signingOut } from '../api/session.ts'
import { Button } from '../kit/button.tsx'
import { endPush } from './push.ts'

/** Ends the session. */
export function SignOutButton({ className }: { className?: string }) {
  const t = useTranslations('userMenu')
  const signOut = useMutation({
    mutationFn: async () => {
      // the next person at this computer must not read the messages of the last one
      await endPush().catch(() => {})
      signingOut()
      await unwrap(api.POST('/auth/logout'))
    },
    // a hub that is away must not keep a person signed in at a shared computer
    onSettled: () => signedOut('signed_out'),
  })
  return (
    <Button className={className} onPress={() => signOut.mutate()} isPending={signOut.isPending}>
      {t('signOut')}
    </Button>
  )
}
