import { useMutation } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { signedIn } from '../../api/session.ts'

const tokenOf = (hash: string) => new URLSearchParams(hash.slice(1)).get('demo')

/** The one-time token in the address that `npm start` prints. A browser sends no server what follows the `#`; it leaves the address at once. */
function takeToken(): string | null {
  const token = tokenOf(location.hash)
  if (token !== null) history.replaceState(history.state, '', location.pathname + location.search)
  return token
}

/** The printed address, opened where this page is open already, only changes what follows the `#`: the page begins again with it. */
function followToken() {
  const begin = () => {
    if (tokenOf(location.hash) !== null) location.reload()
  }
  addEventListener('hashchange', begin)
  return () => removeEventListener('hashchange', begin)
}

/** Only the hub of the demonstration has this operation, so the API document does not name it. */
async function exchange(token: string): Promise<string> {
  const answer = await fetch('/api/v1/auth/demo', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  })
  if (!answer.ok) throw new Error(`The hub refused the token with ${answer.status}.`)
  return ((await answer.json()) as { access_token: string }).access_token
}

/** Signs in with the token of the address, if it has one. @returns whether the hub refused it */
export function useDemoSignIn(): boolean {
  const [token] = useState(takeToken)
  const { mutate, isError } = useMutation({ mutationFn: exchange, onSuccess: signedIn })
  useEffect(followToken, [])
  useEffect(() => {
    if (token !== null) mutate(token)
  }, [token, mutate])
  return isError
}
