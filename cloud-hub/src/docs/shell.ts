import { html } from 'hono/html'

type Markup = ReturnType<typeof html>

export interface NavLink {
  href: string
  text: string
  /** links below it, on the page itself */
  below?: readonly NavLink[]
}

export interface NavGroup {
  title: string
  links: readonly NavLink[]
}

/** A page of the documentation. @param current the address of the page in the navigation */
export function page(title: string, current: string, nav: readonly NavGroup[], content: Markup): string {
  return String(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="description" content="How programs read and change what Haltless knows of machines: guides, and every operation with examples.">
<title>${title} · Haltless API</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/docs.css">
<script type="module" src="/docs/docs.js"></script>
</head>
<body>
<a class="skip" href="#content">Skip to the content</a>
<header class="top">
  <a class="brand" href="/docs">Haltless <span>API</span></a>
  <div class="search" role="search">
    <input id="search" type="search" placeholder="Search (press /)" aria-label="Search the documentation" aria-controls="found" autocomplete="off" spellcheck="false">
    <div id="found" class="found" role="region" aria-label="Search results" hidden></div>
  </div>
  <p id="who" class="who"></p>
</header>
<div class="columns">
  <details class="nav">
    <summary>Contents</summary>
    <nav aria-label="Documentation">${nav.map((group) => navGroup(group, current))}</nav>
  </details>
  <main id="content">${content}</main>
</div>
</body>
</html>
`)
}

const navGroup = ({ title, links }: NavGroup, current: string): Markup => html`
  <h2>${title}</h2>
  <ul>${links.map((link) => navLink(link, current))}</ul>`

function navLink({ href, text, below }: NavLink, current: string): Markup {
  const isCurrent = href === current
  return html`<li><a href="${href}"${isCurrent ? html` aria-current="page"` : ''}>${text}</a>${
    isCurrent && below ? html`<ul>${below.map((one) => html`<li><a href="${one.href}">${one.text}</a></li>`)}</ul>` : ''
  }</li>`
}
