import type { Hono } from 'hono'
import type { Pools } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'
import { AppError, TooManyRequests } from '../../../support/errors.ts'
import type { Env } from '../../../support/http/http-app.ts'
import { isFresh } from '../../../support/http/static-file.ts'
import { calendarOf, calendarTag } from './calendar.ts'
import { tenantOfToken } from './tokens.ts'

export interface CalendarDeps {
  pools: Pools
  clock: Clock
  publicUrl: string
  /** whether this network address may read once more; calendars share the limit of anonymous reads */
  mayRead(ip: string): Promise<boolean>
}

/** Serves subscriptions: `GET /calendars/{token}.ics`. The token is the credential, because calendars send no other. */
export function mountCalendars(app: Hono<Env>, { pools, clock, publicUrl, mayRead }: CalendarDeps): void {
  app.get('/calendars/:file', async (c) => {
    c.set('pattern', '/calendars/{token}.ics')
    if (!(await mayRead(c.get('ip'))))
      throw new TooManyRequests('rate_limited', 'Too many requests from this network address: read a calendar once an hour.', 60)
    const now = clock.now()
    const token = /^(hc_[A-Za-z0-9_-]{43})\.ics$/.exec(c.req.param('file'))?.[1]
    const tenantId = token && (await tenantOfToken(pools.system, token, now))
    if (!tenantId)
      throw new AppError(
        404,
        'calendar_token_not_found',
        'There is no such calendar: its token was revoked, or its user deactivated.',
      )
    // before the text: when an event changes in between, the next read answers it once more
    const etag = `"${await calendarTag(pools.system, tenantId, publicUrl, now)}"`
    const headers = {
      etag,
      'cache-control': 'private, no-cache',
      'content-type': 'text/calendar; charset=utf-8',
      'x-robots-tag': 'noindex',
    }
    if (isFresh(c.req.header('if-none-match') ?? null, etag)) return c.body(null, 304, headers)
    return c.body(await calendarOf(pools.system, tenantId, publicUrl, now), 200, headers)
  })
}
