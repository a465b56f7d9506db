/** Which values of a tag are readings. A part that is no number stays a text, which the hub refuses with its place. */
export interface ValueRules {
  invalid?: (number | string)[] | undefined
  min?: number | undefined
  max?: number | undefined
  values?: Record<string, number | string> | undefined
}

const numberOrText = (text: string): number | string => (text === '' || Number.isNaN(Number(text)) ? text : Number(text))

/** `3`, or `1,2` of a matrix; undefined for none. What is neither stays a text, which the hub refuses with its place. */
export const indexRangeIn = (text: string): number | string | undefined => {
  const trimmed = text.replace(/\s/g, '')
  return trimmed === '' ? undefined : numberOrText(trimmed)
}

/** `32767; -32768`: numbers between spaces, semicolons or commas. A comma within a number is no separator; undefined for none. */
export function numbersIn(text: string): (number | string)[] | undefined {
  const parts = text.split(/[;\s]+|,(?=\s|$)/).filter((part) => part !== '')
  return parts.length > 0 ? parts.map(numberOrText) : undefined
}

export const numbersText = (numbers: ValueRules['invalid']): string => (numbers ?? []).join('; ')

/** `RUNNING = 1`, a text with its number on each line; undefined for none. */
export function textsIn(text: string): Record<string, number | string> | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length === 0) return undefined
  return Object.fromEntries(
    lines.map((line) => {
      const [, name = line, number = ''] = /^(.*)=([^=]*)$/.exec(line) ?? []
      return [name.trim(), numberOrText(number.trim())]
    }),
  )
}

export const textsText = (values: ValueRules['values']): string =>
  Object.entries(values ?? {})
    .map(([name, number]) => `${name} = ${number}`)
    .join('\n')

/** How many rules a tag has. */
export const ruleCount = ({ invalid, min, max, values }: ValueRules): number =>
  [invalid, min, max, values].filter((rule) => rule !== undefined).length
