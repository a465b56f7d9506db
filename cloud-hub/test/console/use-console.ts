import { beforeAll } from 'vitest'
import type { DemoSignIn } from '../../src/features/people/accounts/index.ts'
import type { RunningHub } from '../../src/hub.ts'
import { type RunningHubs, useRunningHubs } from '../running-hub.ts'
import { type TestBrowser, useBrowser } from './browser.ts'

/**
 * A hub on a database of its own, and a Chromium that opens its console: for a `describe` that is skipped without a browser.
 * @param settings of the hub, by the names of their environment variables
 * @param demo lets an address sign in, as the demonstration does
 */
export function useConsole(
  settings: Record<string, string> = {},
  demo?: DemoSignIn,
): {
  hubs: RunningHubs
  hub: { readonly url: string }
  browser: TestBrowser
} {
  const hubs = useRunningHubs(settings)
  let running: RunningHub
  beforeAll(async () => {
    running = await hubs.start({}, undefined, demo)
  })
  const hub = {
    get url() {
      return running.url
    },
  }
  return { hubs, hub, browser: useBrowser(() => running.url) }
}
