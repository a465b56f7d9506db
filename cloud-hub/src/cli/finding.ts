/** The result of one check of `doctor`. */
export interface Finding {
  check: string
  state: 'ok' | 'warn' | 'fail'
  /** what the check found, and what to do */
  detail: string
}

export const ok = (check: string, detail: string): Finding => ({ check, state: 'ok', detail })
export const warn = (check: string, detail: string): Finding => ({ check, state: 'warn', detail })
export const fail = (check: string, detail: string): Finding => ({ check, state: 'fail', detail })
