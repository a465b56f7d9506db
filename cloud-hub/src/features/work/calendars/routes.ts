import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { NewToken, TokenBody, TokenCreate, TokenParams } from './schemas.ts'
import { createCalendarToken, listTokens, revokeToken, type TokenRow } from './tokens.ts'

const route = routeFor<TenantScope>()
const tag = 'Maintenance'

const presentToken = (row: TokenRow) => ({
  id: row.id,
  label: row.label,
  created_at: row.createdAt.toISOString(),
  last_used_at: row.lastUsedAt?.toISOString() ?? null,
})

export const calendarRoutes = ({ publicUrl }: { publicUrl: string }) => [
  route(
    {
      method: 'post',
      path: '/calendar-tokens',
      operation: 'createCalendarToken',
      holdsSecrets: true,
      access: 'any',
      tag,
      summary: 'Subscribe a calendar to the maintenance of the tenant',
      description:
        'Answers an address that calendar programs subscribe to (iCalendar, RFC 5545): all maintenance from 90 days ago on, cancelled events as such. Whoever knows the address can read it, without signing in, until you revoke the token or are deactivated. A user has at most 20 tokens.',
      body: TokenCreate,
      returns: NewToken,
      creates: true,
      refuses: { 409: ['too_many_calendar_tokens'] },
    },
    async ({ scope, body }) => {
      const { row, token } = await createCalendarToken(scope, body.label)
      return { ...presentToken(row), url: `${publicUrl}/calendars/${token}.ics` }
    },
  ),
  route(
    {
      method: 'get',
      path: '/calendar-tokens',
      operation: 'listCalendarTokens',
      holdsSecrets: true,
      access: 'any',
      tag,
      summary: 'Your calendar tokens',
      description: 'The tokens of the signed-in user, oldest first, without their addresses.',
      returns: z.array(TokenBody),
    },
    async ({ scope }) => (await listTokens(scope)).map(presentToken),
  ),
  route(
    {
      method: 'delete',
      path: '/calendar-tokens/{token_id}',
      operation: 'revokeCalendarToken',
      access: 'any',
      tag,
      summary: 'Revoke a calendar token',
      description: 'Its address answers 404 from now on. Only the user who created a token can revoke it.',
      params: TokenParams,
      returns: null,
    },
    async ({ scope, params }) => {
      await revokeToken(scope, params.token_id)
      return undefined
    },
  ),
]
