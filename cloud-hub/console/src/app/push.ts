import { api, unwrap } from '../api/client.ts'
import { sessionState } from '../api/session.ts'
import { keep, kept } from '../api/storage.ts'

/** The user who subscribed this browser. */
const USER_KEY = 'haltless.push-user'
const LOCK = 'haltless.push'

const registration = () => navigator.serviceWorker?.getRegistration()

/** The subscription of this browser to push messages, or null. */
export const pushSubscription = async (): Promise<PushSubscription | null> =>
  (await (await registration())?.pushManager?.getSubscription()) ?? null

/** Ends push messages to this browser: for the subscription of any user, also when the hub does not answer. */
export async function endPush(): Promise<void> {
  const made = await pushSubscription()
  if (!made) return
  await endHere(made)
  // a hub that does not learn of it forgets the browser at the next message, which the push service refuses
  await unwrap(api.DELETE('/push/subscribe', { body: { endpoint: made.endpoint } })).catch(() => {})
}

async function endHere(made: PushSubscription): Promise<void> {
  keep(USER_KEY, null)
  await made.unsubscribe()
}

/** Begins push messages of the signed-in user to this browser. Where the hub refuses, the browser is not subscribed either. */
export async function startPush(manager: PushManager, applicationServerKey: BufferSource | null): Promise<void> {
  const made = await manager.subscribe({ userVisibleOnly: true, applicationServerKey })
  await announce(made).catch(async (error) => {
    await endHere(made)
    throw error
  })
}

/** Makes a subscription that of the signed-in user, at the hub and here. */
async function announce(made: PushSubscription): Promise<void> {
  const session = sessionState()
  if (session.status !== 'signed_in') return
  const { endpoint, keys } = made.toJSON() as { endpoint: string; keys: { p256dh: string; auth: string } }
  await unwrap(api.POST('/push/subscribe', { body: { endpoint, keys, user_agent: navigator.userAgent.slice(0, 500) } }))
  keep(USER_KEY, session.userId)
}

/**
 * Makes push messages to this browser follow the user who signs in. The session of the last one may have ended without a sign-out,
 * perhaps at another company, whose subscription this user cannot end at the hub. So the browser ends it, which the push service
 * reports to the hub, and subscribes anew. Of an unknown user, from before the console knew, the subscription is taken over.
 */
export const followUser = (userId: string): Promise<void> =>
  navigator.locks.request(LOCK, async () => {
    const before = kept(USER_KEY)
    const manager = (await registration())?.pushManager
    const made = await manager?.getSubscription()
    if (!manager || !made || before === userId) return
    if (before === null) return announce(made)
    await endHere(made)
    await startPush(manager, made.options.applicationServerKey)
  })
