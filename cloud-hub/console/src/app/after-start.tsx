import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { dropDrafts } from '../kit/draft-store.ts'
import type { Entry } from './entries.ts'
import { Finder } from './finder.tsx'
import { useKnownSite } from './known-site.ts'
import { useMe } from './me.tsx'
import { followUser } from './push.ts'

dropDrafts()

export { FindButton } from './find-button.tsx'

/** What every page needs, but not to begin with. */
export default function AfterStart({
  entries,
  isFinding,
  onFind,
}: {
  entries: readonly Entry[]
  isFinding: boolean
  onFind(isFinding: boolean): void
}) {
  const { user } = useMe()
  useKnownSite()
  return (
    <>
      <FollowUser userId={user.id} />
      <Finder entries={entries} isOpen={isFinding} onOpen={onFind} />
    </>
  )
}

/** Push messages to this browser are those of the user who is signed in. */
function FollowUser({ userId }: { userId: string }) {
  const queries = useQueryClient()
  useEffect(() => {
    if (!('locks' in navigator)) return
    followUser(userId)
      .catch(() => {})
      .then(() => queries.invalidateQueries({ queryKey: ['push-subscription'] }))
  }, [userId, queries])
  return null
}
