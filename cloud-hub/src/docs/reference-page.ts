import { html, raw } from 'hono/html'
import { exampleId } from '../support/http/example.ts'
import { type Answer, type ApiDocument, nameOfRef, operationsOf, type Parameter, type PlacedOperation } from './document.ts'
import { inTurns } from './in-turns.ts'
import { escapeText, inlineMarkdown, markdown } from './markdown.ts'
import { LANGUAGES, requestCode, requestOf } from './request-code.ts'
import { fieldList, fieldRow, typeOf } from './schema-table.ts'

type Markup = ReturnType<typeof html>

/** Every operation on one page, by area. */
export async function referencePage(document: ApiDocument): Promise<Markup> {
  const operations = operationsOf(document)
  const sections = new Map(
    await inTurns(operations, (operation) => [operation.operationId, operationSection(operation, document)] as const),
  )
  return html`
    <h1>Operations</h1>
    <p class="lead">All ${operations.length} operations of version ${document.info.version}, by area. Paths are below the address of your hub.
      <a href="/api/v1/openapi.json">The OpenAPI document</a> has the same for programs.</p>
    ${document.tags.map((tag) =>
      area(
        tag,
        operations.filter(({ tags }) => tags[0] === tag.name),
        sections,
      ),
    )}
    ${webhooks(document)}`
}

export const areaSlug = (tag: string) => `area-${tag.toLowerCase().replace(/[^a-z]+/g, '-')}`

const area = (
  { name, description }: { name: string; description: string },
  operations: PlacedOperation[],
  sections: ReadonlyMap<string, Markup>,
) => html`
  <section class="area" aria-labelledby="${areaSlug(name)}">
    <h2 id="${areaSlug(name)}">${name}</h2>
    <p>${description}</p>
    <ul class="index">${operations.map(
      ({ operationId, method, path, summary }) =>
        html`<li><a href="#${operationId}"><span class="method ${method}">${method}</span> <code>${path.replace('/api/v1', '')}</code> <span>${summary}</span></a></li>`,
    )}</ul>
    ${operations.map(({ operationId }) => sections.get(operationId))}
  </section>`

function operationSection(operation: PlacedOperation, document: ApiDocument): Markup {
  const { operationId, method, path, summary, description, parameters = [], requestBody } = operation
  const body = Object.values(requestBody?.content ?? {})[0]?.schema
  const schema = body?.$ref ? document.components.schemas[nameOfRef(body.$ref)] : body
  const given = (place: Parameter['in']) => parameters.filter((one) => one.in === place)
  return html`
    <article class="operation" id="${operationId}" aria-labelledby="${operationId}-title">
      <div class="about">
        <h3 id="${operationId}-title"><a href="#${operationId}">${summary}</a></h3>
        <p class="address"><span class="method ${method}">${method}</span> <code>${path}</code>${operation.deprecated ? html` <span class="deprecated">deprecated</span>` : ''}</p>
        ${markdown(description)}
        ${parameterList('Path', given('path'))}${parameterList('Query', given('query'))}${parameterList('Headers', given('header'))}
        ${schema ? html`<h4>Body</h4>${fieldList(schema)}` : ''}
        ${answerOf(operation)}
        ${refusals(operation, document)}
      </div>
      <div class="code">${codeTabs(operation)}${answerExample(operation)}</div>
    </article>`
}

const parameterList = (title: string, parameters: readonly Parameter[]): Markup =>
  parameters.length === 0
    ? html``
    : html`<h4>${title}</h4><dl class="fields">${parameters.map(({ name, schema, required = false, description }) =>
        fieldRow({ name, schema: description ? { ...schema, description } : schema, isRequired: required }, 0),
      )}</dl>`

const successOf = ({ responses }: PlacedOperation): [string, Answer] | undefined =>
  Object.entries(responses).find(([status]) => status.startsWith('2'))

function answerOf(operation: PlacedOperation): Markup {
  const [status, answer] = successOf(operation) ?? ['', undefined]
  if (!answer) return html``
  const types = Object.entries(answer.content ?? {}).map(([type, { schema }]) =>
    schema.$ref
      ? html`<a href="/docs/objects#${nameOfRef(schema.$ref)}">${nameOfRef(schema.$ref)}</a>`
      : html`${schema.properties || schema.items ? typeOf(schema) : type}`,
  )
  return html`<h4>Answer</h4><p>${status}: ${types.length === 0 ? answer.description : types.map((type, i) => html`${i > 0 ? ', or ' : ''}${type}`)}</p>`
}

/** The codes that only this operation has; those of all operations are on the page of refusals. */
function refusals({ responses }: PlacedOperation, { components }: ApiDocument): Markup {
  const codes = Object.entries(responses).flatMap(([status, answer]) => {
    const own = answer.$ref ? components.responses[nameOfRef(answer.$ref)] : answer
    if (answer.$ref || status.startsWith('2')) return []
    return Object.keys(own?.content?.['application/problem+json']?.examples ?? {}).map((code) => ({ status, code }))
  })
  return codes.length === 0
    ? html``
    : html`<h4>Refusals of its own</h4><ul class="codes">${codes.map(
        ({ status, code }) => html`<li>${status} <a href="/docs/errors#${code}"><code>${code}</code></a></li>`,
      )}</ul>`
}

/** Ids of the examples, by what they are of: the reader's own take their place. */
const ID_NAMES = [
  'machine_id',
  'alert_id',
  'rule_id',
  'group_id',
  'work_order_id',
  'event_id',
  'channel_id',
  'user_id',
  'checklist_id',
  'source_id',
]
const NAME_OF_ID = new Map(ID_NAMES.map((name) => [exampleId(name), name]))

const codeMarkup = (text: string) =>
  raw(
    escapeText(text).replace(/[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/g, (id) => {
      const name = NAME_OF_ID.get(id)
      return name ? `<span data-id="${name}">${id}</span>` : id
    }),
  )

function codeTabs(operation: PlacedOperation): Markup {
  const request = requestOf(operation, exampleId)
  return html`<div class="request"${request.method === 'GET' ? html` data-reads` : ''}>${LANGUAGES.map(
    ([language, name], i) =>
      html`<pre data-language="${language}" aria-label="${name}" tabindex="0"${i > 0 ? html` hidden` : ''}><code>${codeMarkup(requestCode(request, language))}</code></pre>`,
  )}</div>`
}

/** What an example answer shows at most; more of it is in the reader's own. */
const MAX_EXAMPLE = 2_000

function answerExample(operation: PlacedOperation): Markup {
  const content = successOf(operation)?.[1].content ?? {}
  const example = content['application/json']?.example
  if (example === undefined) return html``
  const text = JSON.stringify(example, null, 2)
  const shown = text.length > MAX_EXAMPLE ? `${text.slice(0, text.lastIndexOf('\n', MAX_EXAMPLE))}\n...` : text
  return html`<pre class="answer" aria-label="Answer" tabindex="0"><code>${shown}</code></pre>`
}

const webhooks = ({ webhooks }: ApiDocument): Markup => html`
  <section class="area" aria-labelledby="area-webhooks">
    <h2 id="area-webhooks">Webhooks</h2>
    <p>What the hub sends to a receiver of yours. <a href="/docs/guides/webhooks">How to verify it</a></p>
    ${Object.values(webhooks).flatMap((methods) =>
      Object.values(methods).map(
        ({ operationId, summary, description, parameters = [], requestBody }) => html`
          <article class="operation" id="${operationId}" aria-labelledby="${operationId}-title"><div class="about">
            <h3 id="${operationId}-title"><a href="#${operationId}">${inlineMarkdown(summary)}</a></h3>
            <p>${inlineMarkdown(description)}</p>
            ${parameterList('Headers', parameters)}
            <h4>Body</h4>${Object.values(requestBody?.content ?? {}).map(({ schema }) => fieldList(schema))}
          </div></article>`,
      ),
    )}
  </section>`
