import { html } from 'hono/html'
import type { ApiDocument } from './document.ts'
import { inTurns } from './in-turns.ts'
import { inlineMarkdown } from './markdown.ts'
import { fieldList, typeOf } from './schema-table.ts'

/** Every object that operations take or answer, with its fields. */
export const objectsPage = async ({ components: { schemas } }: ApiDocument) => html`
  <h1>Objects</h1>
  <p class="lead">What <a href="/docs/reference">operations</a> take and answer.</p>
  ${await inTurns(
    Object.entries(schemas),
    ([name, schema]) => html`
      <article class="object" id="${name}" aria-labelledby="${name}-title">
        <h2 id="${name}-title"><a href="#${name}">${name}</a></h2>
        ${schema.description && name !== 'ErrorCode' ? html`<p>${inlineMarkdown(schema.description)}</p>` : ''}
        ${name === 'ErrorCode' ? html`<p>One of <a href="/docs/errors">the codes of refusals</a>.</p>` : schema.properties ? fieldList(schema) : html`<p><code>${typeOf(schema)}</code></p>`}
      </article>`,
  )}`
