import type { Context, Hono } from 'hono'
import { transientDbError } from '../../../db/errors.ts'
import { AppError } from '../../../support/errors.ts'
import type { Env } from '../../../support/http/http-app.ts'
import { PAGE_POLICY, type Page, renderPage } from '../../../support/http/page.ts'
import { refreshCookie } from '../accounts/index.ts'
import type { SsoDeps } from './deps.ts'
import { exchangeCode } from './exchange-code.ts'
import { type SsoPageTexts, textsFor } from './page-texts.ts'

export interface SsoPageDeps extends Pick<SsoDeps, 'pools' | 'keys' | 'clock'> {
  /** whether this network address may post another form; the page shares the limit of the API */
  mayPost(ip: string): Promise<boolean>
}

type Status = 200 | 401 | 403 | 413 | 429 | 503

/** Maximum form size; ours is far smaller. */
const MAX_FORM_BYTES = 10_000

async function formOf(c: Context<Env>): Promise<URLSearchParams> {
  const length = Number(c.req.header('content-length') ?? Number.NaN)
  if (!(length <= MAX_FORM_BYTES)) throw new AppError(413, 'form_too_large', 'This form is too large: shorten its fields.')
  return new URLSearchParams(await c.req.text())
}

/** Translates a refusal to a sentence of the page. */
function faultOf(texts: SsoPageTexts, error: unknown): { fault: string; status: Status } {
  if (transientDbError(error)) return { fault: texts.away, status: 503 }
  if (!(error instanceof AppError)) throw error
  if (error.code === 'login_locked') return { fault: texts.locked, status: 429 }
  if (error.status === 503) return { fault: texts.away, status: 503 }
  if (error.status === 413) return { fault: texts.wrong, status: 413 }
  return { fault: texts.ssoFaults[error.code] ?? texts.wrong, status: 401 }
}

/**
 * `/sso`: the page to which a callback of an identity provider leads. It needs no JavaScript, uses the browser's language, and
 * calls the same function as the API.
 */
export function mountSsoPage(app: Hono<Env>, deps: SsoPageDeps): void {
  const show = (c: Context<Env>, page: Omit<Page, 'language'>, status: Status = 200) => {
    const { language } = textsFor(c.req.header('accept-language'))
    return c.html(renderPage({ language, ...page }), status, {
      'content-security-policy': PAGE_POLICY,
      'cache-control': 'no-store',
    })
  }
  const textsOf = (c: Context<Env>) => textsFor(c.req.header('accept-language')).texts

  app.get('/sso', (c) => {
    const texts = textsOf(c)
    const error = c.req.query('error')
    if (error !== undefined) return show(c, { title: texts.failed, fault: texts.ssoFaults[error] ?? texts.wrong }, 401)
    const code = (c.req.query('code') ?? '').slice(0, 200)
    return show(c, {
      title: texts.title,
      paragraphs: [texts.text],
      form: { action: '/sso', button: texts.button, values: { code } },
    })
  })

  app.post('/sso', async (c) => {
    const texts = textsOf(c)
    const ip = c.get('ip')
    const refuse = (fault: string, status: Status) => show(c, { title: texts.failed, fault }, status)
    if (!(await deps.mayPost(ip))) return refuse(texts.tooMany, 429)
    // A form of another site must not act here.
    const site = c.req.header('sec-fetch-site')
    if (site && site !== 'same-origin') return refuse(texts.wrong, 403)
    try {
      const code = ((await formOf(c)).get('code') ?? '').slice(0, 200)
      const grant = await exchangeCode(deps, code, { ip, requestId: c.get('requestId') })
      c.get('answerHeaders')['set-cookie'] = refreshCookie(grant.refreshToken)
      return show(c, { title: texts.done, done: texts.done, link: { text: texts.goOn, path: '/sign-in?sso=1' } })
    } catch (error) {
      const { fault, status } = faultOf(texts, error)
      return refuse(fault, status)
    }
  })
}
