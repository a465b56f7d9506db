/* The documentation without this file is whole: this adds the search, the choice of a language, copying, and the reader's own ids. */

const LANGUAGE_KEY = 'haltless.docs.language'
const NAMES = { curl: 'curl', typescript: 'TypeScript', python: 'Python' }
const FOUND_MAX = 30

const make = (name, properties = {}, ...children) => {
  const element = Object.assign(document.createElement(name), properties)
  element.append(...children)
  return element
}

// links of the page that this one replaced
if (location.hash.startsWith('#/')) location.replace(`/docs/reference#${location.hash.split('/').pop()}`)
// docs.css shows the contents beside a page, open or not; a browser that does not know the rule for it gets them opened
const contents = document.querySelector('details.nav')
const phone = matchMedia('(max-width: 56rem)')
const fit = () => contents?.toggleAttribute('open', !phone.matches)
phone.addEventListener('change', fit)
fit()

/* Languages */

function kept(key) {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}
let language = kept(LANGUAGE_KEY) ?? 'curl'

/** Blocks beside each other that say the same in several languages. */
function groupsOfCode() {
  const groups = [...document.querySelectorAll('.request')].map((box) => [...box.children])
  for (const first of document.querySelectorAll('.guide pre[data-language]')) {
    const group = [first]
    for (let next = first.nextElementSibling; next?.matches('pre[data-language]'); next = next.nextElementSibling)
      group.push(next)
    const isStart = !first.previousElementSibling?.matches('pre[data-language]')
    if (isStart) groups.push(group)
  }
  return groups
}
const languageOf = (block) => ({ sh: 'curl', ts: 'typescript', py: 'python' })[block.dataset.language] ?? block.dataset.language

const shows = []
for (const blocks of groupsOfCode()) {
  const known = blocks.filter((block) => NAMES[languageOf(block)])
  const bar = make('div', { className: 'tabs' })
  const buttons =
    known.length > 1 ? known.map((block) => make('button', { type: 'button', textContent: NAMES[languageOf(block)] })) : []
  const show = () => {
    const shown = known.find((block) => languageOf(block) === language) ?? blocks[0]
    if (known.length > 1) for (const block of blocks) block.hidden = block !== shown
    for (const [i, button] of buttons.entries()) button.setAttribute('aria-pressed', String(known[i] === shown))
    return shown
  }
  for (const [i, button] of buttons.entries())
    button.addEventListener('click', () => {
      const top = bar.getBoundingClientRect().top
      language = languageOf(known[i])
      try {
        localStorage.setItem(LANGUAGE_KEY, language)
      } catch {
        // this page remembers it
      }
      for (const one of shows) one()
      // examples above may have become longer
      scrollBy(0, bar.getBoundingClientRect().top - top)
    })
  const copy = (name, own) => {
    const button = make('button', { type: 'button', className: own ? 'copy-own' : 'copy', textContent: name, hidden: own })
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(runnable(show().textContent, own))
      button.textContent = 'Copied'
      setTimeout(() => {
        button.textContent = name
      }, 2_000)
    })
    return button
  }
  bar.append(...buttons, ...(navigator.clipboard ? [copy('Copy', false), copy('Copy with my token', true)] : []))
  blocks[0].before(bar)
  shows.push(show)
  show()
}

/* Search */

/** Small letters without the marks of a sentence. Those inside a word stay, as in `hub.example.com`. */
const plain = (text) =>
  text
    .toLowerCase()
    .replace(/[\s?!,;"]+|[.:]+(?=[\s?!,;"]|$)/g, ' ')
    .replace(/ +/g, ' ')
    .trim()

const input = document.querySelector('#search')
const found = document.querySelector('#found')
let entries
const load = () =>
  (entries ??= fetch('/docs/search.json')
    .then((answer) => (answer.ok ? answer.json() : Promise.reject(new Error(String(answer.status)))))
    .then((all) => all.map((one) => ({ ...one, title: plain(one.t), text: one.x.toLowerCase() })))
    .catch((error) => {
      entries = undefined
      throw error
    }))

/** Words of questions that say nothing about what is sought. They are left out beside other words. */
const STOP_WORDS = new Set(
  'a an and are as at be by can do does for from how i if in into is it my of on or our that the this to what when where which who why with you your'.split(
    ' ',
  ),
)

function wordsOf(phrase) {
  const all = phrase.split(' ')
  const words = all.filter((word) => !STOP_WORDS.has(word))
  return words.length > 0 ? words : all
}

/** Every word must be there; a title counts more than a text, and a whole title most. */
function score({ title, text }, words, phrase) {
  let sum = title === phrase ? 100 : title.startsWith(phrase) ? 20 : 0
  for (const word of words) {
    if (title.includes(word)) sum += 10
    else if (text.includes(word)) sum += 1
    else return 0
  }
  return sum
}

/** Some words around the first match. */
function excerpt({ x, text }, words) {
  const at = Math.max(0, Math.min(...words.map((word) => text.indexOf(word)).filter((place) => place >= 0), text.length) - 40)
  const part = x
    .slice(at === Infinity ? 0 : at, at + 140)
    .replace(/[`*#]/g, '')
    .replace(/\s+/g, ' ')
  return `${at > 0 ? '…' : ''}${part}${at + 140 < x.length ? '…' : ''}`
}

async function search() {
  const phrase = plain(input.value)
  if (phrase === '') {
    found.hidden = true
    return
  }
  const words = wordsOf(phrase)
  let all
  try {
    all = await load()
  } catch {
    found.replaceChildren(
      make('p', { role: 'status', textContent: 'The search could not be loaded. Check the connection, then type again.' }),
    )
    found.hidden = false
    return
  }
  if (plain(input.value) !== phrase) return
  const matches = all
    .map((entry) => [score(entry, words, phrase), entry])
    .filter(([points]) => points > 0)
    .sort(([a], [b]) => b - a)
  const links = matches
    .slice(0, FOUND_MAX)
    .map(([, entry]) =>
      make('a', { href: entry.u }, `${entry.t} `, make('small', { textContent: `${entry.k}: ${excerpt(entry, words)}` })),
    )
  const more = matches.length > FOUND_MAX ? [make('p', { textContent: `${matches.length - FOUND_MAX} more: add a word.` })] : []
  found.replaceChildren(
    ...(links.length > 0 ? links : [make('p', { role: 'status', textContent: 'Nothing has all these words.' })]),
    ...more,
  )
  found.hidden = false
}
input.addEventListener('input', search)
input.addEventListener('focus', () => load().then(search, () => {}))
document.addEventListener('keydown', (event) => {
  const isTyping = event.target.closest?.('input, textarea')
  if (event.key === '/' && !isTyping && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault()
    input.focus()
  }
  if (event.key === 'Escape' && !found.hidden) {
    found.hidden = true
    input.focus()
  }
  if (event.key === 'Enter' && event.target === input && !found.hidden) found.querySelector('a')?.click()
  if (!['ArrowDown', 'ArrowUp'].includes(event.key) || found.hidden) return
  const links = [...found.querySelectorAll('a')]
  const at = links.indexOf(document.activeElement)
  if (at < 0 && event.target !== input) return
  event.preventDefault()
  const next = event.key === 'ArrowDown' ? at + 1 : at - 1
  if (next < 0) input.focus()
  else links[Math.min(next, links.length - 1)]?.focus()
})
document.addEventListener('click', ({ target }) => {
  if (!target.closest('.search') || target.closest('#found a')) found.hidden = true
})

/* The reader, where this browser is signed in at the console. The token is on no page: copying adds it. */

let token = null
/** As the console does it: one tab at a time exchanges the refresh cookie, and the others get its token. */
async function signIn() {
  if (!isSecureContext || kept('haltless.signed-in') === null) return null
  const refresh = async () => {
    const answer = await fetch('/api/v1/auth/refresh', { method: 'POST' })
    if (!answer.ok) return null
    const { access_token } = await answer.json()
    const channel = new BroadcastChannel('haltless.session')
    channel.postMessage({ kind: 'token', text: access_token })
    channel.close()
    return access_token
  }
  return navigator.locks ? navigator.locks.request('haltless.refresh', refresh) : refresh()
}
const sessions = new BroadcastChannel('haltless.session')
sessions.onmessage = ({ data }) => {
  token = data.kind === 'token' ? data.text : null
}

const OWN_IDS = {
  machine_id: 'machines',
  alert_id: 'alerts',
  rule_id: 'alert-rules',
  work_order_id: 'work-orders',
  group_id: 'machine-groups',
  event_id: 'maintenance',
}

/** Shows the reader's own ids in the examples that read: one that changes or deletes keeps ids that nothing has. */
async function fillIds() {
  const places = [...document.querySelectorAll('[data-reads] [data-id]')]
  const wanted = new Set(places.map(({ dataset }) => dataset.id))
  for (const [name, path] of Object.entries(OWN_IDS)) {
    if (!wanted.has(name)) continue
    const answer = await fetch(`/api/v1/${path}?page=1&page_size=1`, { headers: { authorization: `Bearer ${token}` } })
    if (!answer.ok) continue
    const list = await answer.json()
    const id = (list.items ?? list)[0]?.id
    for (const place of places) if (id && place.dataset.id === name) place.textContent = id
  }
}

/** The text of an example as it runs here: with the address of this hub, and what `own` asks for the reader's token. */
function runnable(text, own) {
  const given = own && token ? text.replace(/\bht_\.\.\.|\beyJ\.\.\./, token) : text
  if (!document.querySelector('.request')) return given
  const address = `${location.origin}/api/v1`
  const lines = {
    curl: [`url=${address}`, ...(own && token ? [`token=${token}`] : [])],
    typescript: [`const url = '${location.origin}'`, ...(own && token ? [`const token = '${token}'`] : [])],
    python: [`url = "${address}"`, ...(own && token ? [`token = "${token}"`] : [])],
  }[language]
  return `${lines.join('\n')}\n${given}`
}

// in guides the address of this hub is a part of the text
for (const code of document.querySelectorAll('.guide pre code'))
  if (code.textContent.includes('https://hub.example.com'))
    code.textContent = code.textContent.replaceAll('https://hub.example.com', location.origin)

const who = document.querySelector('#who')
try {
  token = await signIn()
} catch {
  // without the hub, or a session that has ended: the examples stay as they are
}
if (token) {
  who.textContent = 'Signed in: copying can add your session token, which lasts 15 minutes.'
  for (const button of document.querySelectorAll('.copy-own')) {
    const isGuide = button.closest('.guide')
    button.hidden = isGuide ? !/\bht_\.\.\.|\beyJ\.\.\./.test(button.closest('.tabs').nextElementSibling.textContent) : false
  }
  await fillIds().catch(() => {})
}
