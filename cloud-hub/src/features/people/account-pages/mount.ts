import type { Context, Hono } from 'hono'
import { transientDbError } from '../../../db/errors.ts'
import type { Pools } from '../../../db/pools.ts'
import type { Clock } from '../../../support/clock.ts'
import { AppError } from '../../../support/errors.ts'
import type { Env } from '../../../support/http/http-app.ts'
import { NewPassword, peekToken, refreshCookie, type SigningKeys } from '../accounts/index.ts'
import { exchangeCode } from '../sso/index.ts'
import { type LinkDeps, requestPasswordReset, setPasswordByToken } from '../users/index.ts'
import { type Field, PAGE_POLICY, type Page, renderPage } from './layout.ts'
import { type PageTexts, textsFor } from './texts.ts'

export interface AccountPageDeps extends LinkDeps {
  pools: Pools
  keys: SigningKeys
  clock: Clock
  /** whether this network address may post another form; the pages share the limit of the API */
  mayPost(ip: string): Promise<boolean>
}

type Status = 200 | 400 | 401 | 403 | 410 | 413 | 422 | 429 | 500 | 503

/** Maximum form size; ours are far smaller. */
const MAX_FORM_BYTES = 10_000

async function formOf(c: Context<Env>): Promise<URLSearchParams> {
  const length = Number(c.req.header('content-length') ?? Number.NaN)
  if (!(length <= MAX_FORM_BYTES)) throw new AppError(413, 'form_too_large', 'This form is too large: shorten its fields.')
  return new URLSearchParams(await c.req.text())
}

const passwordFields = (texts: PageTexts): Field[] => [
  { name: 'password', type: 'password', label: texts.password, hint: texts.passwordHint, autocomplete: 'new-password' },
  { name: 'repeat', type: 'password', label: texts.repeat, hint: '', autocomplete: 'new-password' },
]

/**
 * The pages behind links of accounts and identity providers: `/invite`, `/reset-password` (without a token it asks for the
 * address) and `/sso`. They need no JavaScript, use the browser's language, and call the same functions as the API.
 */
export function mountAccountPages(app: Hono<Env>, deps: AccountPageDeps): void {
  const { pools, clock, keys } = deps

  const show = (c: Context<Env>, page: Omit<Page, 'language'>, status: Status = 200) => {
    const { language } = textsFor(c.req.header('accept-language'))
    return c.html(renderPage({ language, ...page }), status, {
      'content-security-policy': PAGE_POLICY,
      'cache-control': 'no-store',
    })
  }
  const textsOf = (c: Context<Env>) => textsFor(c.req.header('accept-language')).texts
  const origin = (c: Context<Env>) => ({ ip: c.get('ip'), requestId: c.get('requestId') })

  /** Translates a refusal to a sentence of the page. */
  const faultOf = (texts: PageTexts, error: unknown): { fault: string; status: Status } => {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'login_locked') return { fault: texts.locked, status: 429 }
    if (error.status === 503) return { fault: texts.away, status: 503 }
    if (error.status === 413) return { fault: texts.wrong, status: 413 }
    return { fault: texts.ssoFaults[error.code] ?? texts.wrong, status: 401 }
  }
  const guarded = (handle: (c: Context<Env>, texts: PageTexts) => Promise<Response>) => async (c: Context<Env>) => {
    const texts = textsOf(c)
    if (c.req.method === 'POST' && !(await deps.mayPost(c.get('ip'))))
      return show(c, { title: texts.failed, fault: texts.tooMany }, 429)
    // A form of another site must not act here.
    const site = c.req.header('sec-fetch-site')
    if (c.req.method === 'POST' && site && site !== 'same-origin')
      return show(c, { title: texts.failed, fault: texts.wrong }, 403)
    try {
      return await handle(c, texts)
    } catch (error) {
      const refused = transientDbError(error) ? { fault: texts.away, status: 503 as const } : faultOf(texts, error)
      return show(c, { title: texts.failed, fault: refused.fault }, refused.status)
    }
  }

  for (const [path, purpose, kind] of [
    ['/invite', 'invitation', 'invite'],
    ['/reset-password', 'password_reset', 'reset'],
  ] as const) {
    const page = (texts: PageTexts, token: string): Omit<Page, 'language'> => ({
      title: texts[kind].title,
      paragraphs: [texts[kind].text],
      form: {
        action: path,
        button: texts[kind].button,
        fields: [{ name: 'token', type: 'hidden', value: token }, ...passwordFields(texts)],
      },
    })
    const gone = (c: Context<Env>, texts: PageTexts) => {
      const link = kind === 'reset' ? { text: texts.gone.again, path: '/reset-password?plain=1' } : signInLink(texts)
      return show(c, { title: texts.gone.title, paragraphs: [texts.gone[kind]], link }, 410)
    }

    app.get(
      path,
      guarded(async (c, texts) => {
        const token = c.req.query('token')
        if (token === undefined && kind === 'reset') return show(c, forgotPage(texts))
        const known = await peekToken(pools.system, (token ?? '').slice(0, 200), purpose, clock.now())
        return known ? show(c, page(texts, token as string)) : gone(c, texts)
      }),
    )
    app.post(
      path,
      guarded(async (c, texts) => {
        const form = await formOf(c)
        const email = form.get('email')
        if (email !== null && kind === 'reset') {
          await requestPasswordReset(deps, email.slice(0, 254))
          return show(c, { title: texts.forgot.title, done: texts.forgot.done, link: signInLink(texts) })
        }
        const [token, password] = [form.get('token') ?? '', form.get('password') ?? '']
        const fault = !NewPassword.safeParse(password).success
          ? texts.weak
          : form.get('repeat') !== password
            ? texts.differ
            : null
        if (fault) return show(c, { ...page(texts, token), fault }, 422)
        try {
          await setPasswordByToken(deps, origin(c), purpose, token.slice(0, 200), password)
        } catch (error) {
          if (error instanceof AppError && error.code === 'link_invalid') return gone(c, texts)
          const refused = faultOf(texts, error)
          return show(c, { ...page(texts, token), fault: refused.fault }, refused.status)
        }
        return show(c, { title: texts[kind].title, done: texts[kind].done, link: signInLink(texts) })
      }),
    )
  }

  app.get(
    '/sso',
    guarded(async (c, texts) => {
      const error = c.req.query('error')
      if (error !== undefined) return show(c, { title: texts.sso.failed, fault: texts.ssoFaults[error] ?? texts.wrong }, 401)
      const code = (c.req.query('code') ?? '').slice(0, 200)
      const fields: Field[] = [{ name: 'code', type: 'hidden', value: code }]
      return show(c, {
        title: texts.sso.title,
        paragraphs: [texts.sso.text],
        form: { action: '/sso', button: texts.sso.button, fields },
      })
    }),
  )
  app.post(
    '/sso',
    guarded(async (c, texts) => {
      const code = ((await formOf(c)).get('code') ?? '').slice(0, 200)
      try {
        const grant = await exchangeCode({ pools, keys, clock }, code, origin(c))
        c.get('answerHeaders')['set-cookie'] = refreshCookie(grant.refreshToken)
        return show(c, { title: texts.sso.done, done: texts.sso.done, link: { text: texts.goOn, path: '/sign-in?sso=1' } })
      } catch (error) {
        const refused = faultOf(texts, error)
        return show(c, { title: texts.sso.failed, fault: refused.fault }, refused.status)
      }
    }),
  )
}

const signInLink = (texts: PageTexts) => ({ text: texts.signIn, path: '/sign-in' })

const forgotPage = (texts: PageTexts): Omit<Page, 'language'> => ({
  title: texts.forgot.title,
  paragraphs: [texts.forgot.text],
  form: {
    action: '/reset-password',
    button: texts.forgot.button,
    fields: [{ name: 'email', type: 'email', label: texts.email, autocomplete: 'username' }],
  },
  link: signInLink(texts),
})
