import { HaltlessError } from '@haltless/client'

/** A wait that the end of the demonstration cuts short. */
export interface LockoutWait {
  say(text: string): void
  /** resolves after so many seconds, or rejects when the demonstration ends */
  pause(seconds: number): Promise<void>
}

/**
 * Runs a sign-in, and once more after the lockout of this address or account ends. Wrong passwords typed in a browser of this
 * computer lock out the demonstration too, because both come from the same address.
 */
export async function afterLockout<T>(signIn: () => Promise<T>, { say, pause }: LockoutWait): Promise<T> {
  for (;;) {
    try {
      return await signIn()
    } catch (error) {
      if (!(error instanceof HaltlessError) || error.status !== 429) throw error
      const seconds = error.retryAfter ?? 1
      const minutes = Math.ceil(seconds / 60)
      say(
        `Too many wrong passwords came from this computer: the hub accepts no sign-in for ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}. The start goes on then.`,
      )
      await pause(seconds)
    }
  }
}
