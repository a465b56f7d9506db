import { VALUE_ATTRIBUTE, VALUE_EVENT } from './value-control.ts'

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

/** Nothing of these is kept: secrets, files, and what only finds something. */
const LEFT_OUT =
  'input:is([type=password], [type=file], [type=search], [type=hidden], [autocomplete=one-time-code]), [readonly], [data-secret]'

/** The controls of a form by their names, or labels, which stay the same when the form is drawn anew. */
function controlsOf(root: HTMLElement): Map<string, Control> {
  const found = new Map<string, Control>()
  for (const control of root.querySelectorAll<Control>('input, textarea, select')) {
    if (control.matches(LEFT_OUT)) continue
    const isOneOfSome = control.type === 'radio' || control.type === 'checkbox'
    const name = control.name || control.labels?.[0]?.textContent || control.type
    const key = isOneOfSome ? `${name}=${control.value}` : name
    let free = key
    for (let count = 2; found.has(free); count++) free = `${key} ${count}`
    found.set(free, control)
  }
  return found
}

const controlValue = (control: Control): string =>
  control.getAttribute(VALUE_ATTRIBUTE) ??
  (control.type === 'checkbox' || control.type === 'radio' ? String((control as HTMLInputElement).checked) : control.value)

/** The values of all controls of a form, by their keys. */
export const valuesOf = (root: HTMLElement): Record<string, string> =>
  Object.fromEntries([...controlsOf(root)].map(([key, control]) => [key, controlValue(control)]))

/** Gives controls these values as a person would, so that React hears of it. @returns whether all of them are there and have them */
export function setValues(root: HTMLElement, values: Record<string, string>): boolean {
  const controls = controlsOf(root)
  let isDone = true
  for (const [key, value] of Object.entries(values)) {
    const control = controls.get(key)
    if (control && controlValue(control) !== value) setValue(control, value)
    if (!control || controlValue(control) !== value) isDone = false
  }
  return isDone
}

/** The most rows that are added: the buttons end at a limit of their own before. */
const MAX_ROWS = 500
const ADDS_ROW = '[data-adds-row]:not([disabled], [aria-disabled=true])'

/** Presses what adds fields to a form for as long as some of these have no control, and a press brings some of them. */
export async function addRows(root: HTMLElement, values: Record<string, string>): Promise<void> {
  const missing = () => {
    const controls = controlsOf(root)
    return Object.keys(values).filter((key) => !controls.has(key)).length
  }
  for (let added = 0; added < MAX_ROWS; added++) {
    const before = missing()
    const button = root.querySelector<HTMLElement>(ADDS_ROW)
    if (!button || before === 0) return
    button.click()
    // React draws the row
    await new Promise((resolve) => setTimeout(resolve))
    if (missing() >= before) return
  }
}

function setValue(control: Control, value: string): void {
  if (control.hasAttribute(VALUE_ATTRIBUTE)) control.dispatchEvent(new CustomEvent(VALUE_EVENT, { detail: value }))
  else if (control.type === 'checkbox' || control.type === 'radio') control.click()
  else {
    // React keeps the value that it knows, and ignores an event with the same one
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')?.set?.call(control, value)
    for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, { bubbles: true }))
  }
}
