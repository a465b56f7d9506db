/** What one check of `doctor` found. */
export interface Finding {
  check: string
  state: 'ok' | 'warn' | 'fail'
  /** what was found, and what to do about it */
  detail: string
}

export const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail })
export const warn = (check: string, detail: string): Finding => ({ check, state: 'warn', detail })
export const fail = (check: string, detail: string): Finding => ({ check, state: 'fail', detail })
