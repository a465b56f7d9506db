/** What is read of a fault to show it; of a program that knows other codes too. */
export interface ShownFault {
  code: string
  params: Record<string, unknown>
  detail: string
}

/**
 * @param texts the texts of a language by code
 * @param show how a parameter of this name is written
 * @returns the text of a fault, and of those in it; a code that `texts` lacks, and one without its parameters, gives the English text
 */
export function faultText(
  { code, params, detail }: ShownFault,
  texts: Readonly<Record<string, string>>,
  show: (name: string, param: string) => string = (_, param) => param,
): string {
  const text = Object.hasOwn(texts, code) ? texts[code] : undefined
  const names = Array.from(text?.matchAll(/\{(\w+)\}/g) ?? [], ([, name = '']) => name)
  // a newer program may name its parameters otherwise
  if (text === undefined || names.some((name) => !Object.hasOwn(params, name))) return detail
  return rendered(text, params, (nested) => faultText(nested, texts, show), show)
}

/** Whether a parameter is a fault of its own. */
export const isFault = <Found extends ShownFault>(param: unknown): param is Found =>
  typeof param === 'object' && param !== null && 'code' in param

/** @returns the text with its parameters; a name without one stays */
export function rendered(
  text: string,
  params: Record<string, unknown>,
  nested: (fault: ShownFault) => string,
  show: (name: string, param: string) => string = (_, param) => param,
): string {
  return text.replace(/\{(\w+)\}/g, (braces, name: string) => {
    const param = Object.hasOwn(params, name) ? params[name] : undefined
    if (param === undefined) return braces
    return isFault(param) ? nested(param) : show(name, String(param))
  })
}
