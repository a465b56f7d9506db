import type { TenantScope } from '../../../db/scope.ts'
import { Unauthenticated } from '../../../support/errors.ts'
import { routeFor } from '../../../support/http/route.ts'
import { z } from '../../../support/http/z.ts'
import { type DemoSignIn, findDemoUser } from './demo-sign-in.ts'
import type { AccountDeps } from './deps.ts'
import { TokenAnswer } from './schemas.ts'
import { COOKIE_HEADER, openSession, recordSignIn, tokenResponse } from './sessions.ts'

const Body = z
  .object({ token: z.string().min(1).max(100).describe('What follows `#demo=` in the address that `npm start` prints.') })
  .openapi('DemoSignIn', { example: { token: 'dYyJ2Kq0pB5m0w0m8l2uX0Xg5w1sX6yqk0mI3vS9c3E' } })

const invalid = () =>
  new Unauthenticated('demo_token_invalid', 'This address was used already or is too old: sign in with e-mail and password.')

/** The sign-in of the demonstration. A hub that `serve` starts does not have it. */
export const demoSignInRoute = ({ pools, keys, clock }: AccountDeps, demo: DemoSignIn) =>
  routeFor<TenantScope>()(
    {
      method: 'post',
      path: '/auth/demo',
      operation: 'signInToDemonstration',
      answerHeaders: COOKIE_HEADER,
      access: 'none',
      tag: 'Authentication and account',
      summary: 'Sign in to the demonstration with the token of its address',
      description: 'Only the hub of `npm start` has this operation. The token works once, within an hour of the start.',
      body: Body,
      returns: TokenAnswer,
      refuses: { 401: ['demo_token_invalid'] },
    },
    async ({ body, caller }) => {
      const holder = demo.take(body.token, clock.now())
      const user = holder && (await findDemoUser(pools.system, holder))
      if (!user) throw invalid()
      const opened = await openSession(pools.system, keys, clock, user)
      await recordSignIn(pools.system, clock, user, caller)
      return tokenResponse(opened, caller)
    },
  )
