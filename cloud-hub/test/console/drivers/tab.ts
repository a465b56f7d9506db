/** A tab of a browser, with what WebDriver lets a person do in it. */
export interface Tab {
  /** loads an address, until its scripts have run */
  open(url: string): Promise<void>
  reload(): Promise<void>
  /** the value of an expression of JavaScript as JSON; a promise is awaited */
  evaluate<T>(expression: string): Promise<T>
  /** presses the mouse at a point of the viewport */
  press(x: number, y: number): Promise<void>
  /** types into what has the focus */
  type(text: string): Promise<void>
  resize(width: number, height: number): Promise<void>
  screenshot(): Promise<Buffer>
  /** errors and warnings of the browser's console since the last call */
  faults(): Promise<string[]>
  close(): Promise<void>
}

/** Evaluates an expression so that every protocol carries its value: as JSON. */
export const asJson = (expression: string): string => `(async () => JSON.stringify((await (${expression})) ?? null))()`

/** What a person looks for: elements by role. */
const CANDIDATES = {
  button: 'button, [role=button]',
  link: 'a[href]',
  menuitem: '[role=menuitem]',
  field: 'input, textarea, select',
  heading: 'h1, h2, h3',
} as const
type Role = keyof typeof CANDIDATES

const LIMIT_MS = 60_000

const given = (name: string | RegExp) => (typeof name === 'string' ? JSON.stringify(name) : String(name))

/** The element of a role and name that can be seen, or undefined, as an expression. */
const seen = (role: Role, name: string | RegExp, within: string) => `[...document.querySelectorAll(${JSON.stringify(within)})]
  .flatMap((it) => [...it.querySelectorAll(${JSON.stringify(CANDIDATES[role])})])
  .find((it) => {
    const name = (it.ariaLabel ?? it.labels?.[0]?.textContent ?? it.textContent).trim().replace(/\\s+/g, ' ')
    const wanted = ${given(name)}
    return (typeof wanted === 'string' ? name === wanted : wanted.test(name)) && it.checkVisibility() && !it.disabled
  })`

/** Repeats an expression until it has a value other than null and false. @throws names what did not come, and what the page shows instead */
async function untilThere<T>(tab: Tab, what: string, expression: string): Promise<T> {
  for (const end = Date.now() + LIMIT_MS; ; ) {
    const found = await tab.evaluate<T | null | false>(expression)
    if (found !== null && found !== false) return found
    if (Date.now() > end)
      throw new Error(`no ${what} on the page: ${await tab.evaluate('document.body.innerText.slice(0, 1500)')}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Presses what has the role and name, as soon as nothing moves or covers it. @param within a selector: only this part of the page */
export async function press(tab: Tab, role: Role, name: string | RegExp, within = 'body'): Promise<void> {
  const [x, y] = await untilThere<[number, number]>(
    tab,
    `${role} ${name}`,
    `(async () => {
      const it = ${seen(role, name, within)}
      if (!it) return null
      it.scrollIntoView({ block: 'center' })
      const before = it.getBoundingClientRect()
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
      const { left, top, width, height } = it.getBoundingClientRect()
      const point = [Math.round(left + width / 2), Math.round(top + height / 2)]
      const hit = document.elementFromPoint(...point)
      return before.top === top && hit && (it.contains(hit) || it.labels?.[0]?.contains(hit)) ? point : null
    })()`,
  )
  await tab.press(x, y)
}

/** Replaces what is in the field of a label. */
export async function fill(tab: Tab, label: string | RegExp, text: string, within = 'body'): Promise<void> {
  await press(tab, 'field', label, within)
  await tab.evaluate(`document.activeElement.select()`)
  await tab.type(text)
}

/** Waits until a part of the page shows a text. */
export const shows = (tab: Tab, text: string | RegExp, within = 'body'): Promise<boolean> =>
  untilThere(
    tab,
    `text ${text} in ${within}`,
    `[...document.querySelectorAll(${JSON.stringify(within)})].some((it) => {
      const wanted = ${given(text)}
      return typeof wanted === 'string' ? it.innerText.includes(wanted) : wanted.test(it.innerText)
    })`,
  )

/** Waits until a condition of the page holds, given as an expression. */
export const holds = (tab: Tab, what: string, expression: string): Promise<boolean> => untilThere(tab, what, `!!(${expression})`)
