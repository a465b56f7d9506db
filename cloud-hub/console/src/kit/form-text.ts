/** Reads the fields of a form as texts without surrounding spaces. */
export function formText(form: HTMLFormElement): (name: string) => string {
  const values = new FormData(form)
  return (name) => String(values.get(name) ?? '').trim()
}
