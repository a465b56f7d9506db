import { api, unwrap } from '../api/client.ts'

/** The subscription of this browser to push messages, or null. */
export const pushSubscription = async (): Promise<PushSubscription | null> =>
  (await (await navigator.serviceWorker?.getRegistration())?.pushManager?.getSubscription()) ?? null

/** Ends push messages to this browser: for the subscription of any user, also when the hub does not answer. */
export async function endPush(): Promise<void> {
  const made = await pushSubscription()
  if (!made) return
  await made.unsubscribe()
  // a hub that does not learn of it forgets the browser at the next message, which the push service refuses
  await unwrap(api.DELETE('/push/subscribe', { body: { endpoint: made.endpoint } })).catch(() => {})
}
