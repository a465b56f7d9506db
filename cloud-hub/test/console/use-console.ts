import { beforeAll } from 'vitest'
import type { RunningHub } from '../../src/hub.ts'
import { type RunningHubs, useRunningHubs } from '../running-hub.ts'
import { type TestBrowser, useBrowser } from './browser.ts'

/**
 * A hub on a database of its own, and a Chromium that opens its console: for a `describe` that is skipped without a browser.
 * @param settings of the hub, by the names of their environment variables
 */
export function useConsole(settings: Record<string, string> = {}): {
  hubs: RunningHubs
  hub: { readonly url: string }
  browser: TestBrowser
} {
  const hubs = useRunningHubs(settings)
  let running: RunningHub
  beforeAll(async () => {
    running = await hubs.start()
  })
  const hub = {
    get url() {
      return running.url
    },
  }
  return { hubs, hub, browser: useBrowser(() => running.url) }
}
