import { readFileSync } from 'node:fs'
import path from 'node:path'
import { html } from 'hono/html'
import { markdown } from './markdown.ts'

/** The guides are files of the repository, so that they can be read without a hub. */
const FOLDER = path.join(import.meta.dirname, '../../docs/api')

/** In the order of the navigation. */
export const GUIDES = [
  ['first-readings', 'First readings'],
  ['tokens', 'Credentials'],
  ['pagination', 'Lists and pages'],
  ['changes', 'Changes, safely'],
  ['streams', 'Live changes'],
  ['webhooks', 'Webhooks'],
  ['limits', 'Limits'],
  ['errors', 'Errors'],
  ['clients', 'Clients'],
  ['areas', 'What is where'],
  ['versions', 'Versions of the API'],
] as const
export type GuideName = (typeof GUIDES)[number][0]

export const guideText = (name: GuideName): string => readFileSync(path.join(FOLDER, `${name}.md`), 'utf8')

/** A guide as programs read it: links to files that no hub has are words. */
export const servedMarkdown = (name: GuideName): string => guideText(name).replace(/\[([^\][]*)\]\(\.\.\/[^)]*\)/g, '$1')

/** A guide as a page, with where to go on. */
export function guidePage(name: GuideName) {
  const next = GUIDES[GUIDES.findIndex(([one]) => one === name) + 1]
  return html`<div class="guide">${markdown(guideText(name))}
    <p class="after">${next ? html`Next: <a href="/docs/guides/${next[0]}">${next[1]}</a> · ` : ''}<a href="/docs/guides/${name}.md">This page as Markdown</a></p></div>`
}

export const homePage = () => html`
  <h1>Build on Haltless</h1>
  <p class="lead">Send readings, read machines, alerts and figures, and run work orders from your own programs.
    Everything that the console does goes through this API.</p>
  <ul class="cards">
    <li><a href="/docs/guides/first-readings">First readings</a> Five minutes from nothing to an alert, with curl, TypeScript or Python.</li>
    <li><a href="/docs/guides/tokens">Credentials</a> Which one a program needs, and what it may do.</li>
    <li><a href="/docs/reference">Operations</a> Every path with its fields, refusals and examples.</li>
    <li><a href="/docs/guides/webhooks">Webhooks</a> Receive alerts, and verify that they come from this hub.</li>
    <li><a href="/docs/guides/streams">Live changes</a> Follow values, alerts and work as they change.</li>
    <li><a href="/docs/errors">Refusals</a> What each code means, and what to do about it.</li>
  </ul>
  <p>For programs: <a href="/api/v1/openapi.json">the OpenAPI document</a>, <a href="/llms.txt">an index of the guides as Markdown</a>.</p>`
