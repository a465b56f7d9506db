import { vi } from 'vitest'

/** Waits until `check` stops throwing. @returns what it gives; throws its last error after a minute, which only a test that hangs reaches */
export const soon = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 60_000, interval: 20 })
