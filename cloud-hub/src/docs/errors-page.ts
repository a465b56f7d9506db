import { html } from 'hono/html'
import { ERROR_CODES } from '../error-codes/index.ts'
import { inlineMarkdown } from './markdown.ts'

/** Every code of a refusal, with what it means and what to do. */
export const errorsPage = () => html`
  <h1>Refusals and their codes</h1>
  <p class="lead">Every refusal is a problem document (RFC 9457). Programs decide by its <code>code</code>, which is stable; <code>title</code> and
    <code>detail</code> are for people, and <code>request_id</code> finds the request in the hub's log.
    <a href="/docs/guides/errors">What to repeat, and when</a></p>
  <dl class="errors">${Object.entries(ERROR_CODES).map(
    ([code, { status, meaning, remedy }]) => html`
      <div id="${code}"><dt><a href="#${code}"><code>${code}</code></a> <span class="status">${status}</span></dt>
        <dd>${inlineMarkdown(meaning)} <span class="remedy">${inlineMarkdown(remedy)}</span></dd></div>`,
  )}</dl>`
