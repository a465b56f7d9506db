/** Words of numbers in English and German. The articles and pronouns `ein`, `eine` and the like are none. */
const ENGLISH =
  'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million billion trillion dozen'
const ENGLISH_ROOT = ENGLISH.replaceAll(' ', '|')
const ENGLISH_OTHERS =
  'fifth|eighth|ninth|twelfth|(?:twent|thirt|fort|fift|sixt|sevent|eight|ninet)ieth|second|third|half|halv\\p{L}+|quarter|twice|thrice|doubl\\p{L}+|tripl\\p{L}+|quadrupl\\p{L}+|fortnight\\p{L}*'
const GERMAN_ROOT =
  'null|eins|zwei|zwo|drei|vier|fünf|fuenf|sechs?|sieb(?:en)?|acht|neun|zehn|elf|zwölf|zwoelf|zwan|zig|ßig|ssig|hundert|tausend|million(?:en)?|milliarden?|billion(?:en)?|dutzend'
const GERMAN_ENDING =
  'e|s|t|einhalb|te[lmnrs]?|teln?|ste[lmnrs]?|mal(?:s|ig\\p{L}*)?|fach\\p{L}*|(?:jähr|monat|wöch|täg|stünd|minüt|teil|stell)ig\\p{L}*'
const GERMAN_OTHERS =
  'dritt\\p{L}*|halb\\p{L}*|anderthalb\\p{L}*|hälfte[n]?|doppel\\p{L}*|ver(?:doppel|dreifach|vierfach|zehnfach)\\p{L}*'
const NUMBER_WORD = new RegExp(
  `^(?:(?:${ENGLISH_ROOT})+(?:s|th|ths|fold)?|(?:${ENGLISH_OTHERS})(?:s|ly)?|(?:ein|und)*(?:${GERMAN_ROOT})(?:${GERMAN_ROOT}|ein|und)*(?:${GERMAN_ENDING})?|${GERMAN_OTHERS})$`,
  'iu',
)
/** Numerals of two letters or more. */
const ROMAN = /(?<!\p{L})[IVXLCDM]{2,}(?!\p{L})/u
/** A mail address, a scheme, or a dot within a name, in any form that browsers take for one. */
const ADDRESS = /@|www\.|\p{L}:[/\p{L}]|:\/\/|\p{L}[.\u3002]\p{L}/iu

/** What stands before and after a slot, so that it forms no other number or name with its neighbours. */
const BEFORE = /(?:^|[\s("'„“‚‘«»])$/u
const AFTER = /^(?:$|[\s)"'“”‘’«»;:!?-]|[.,](?:$|[\s)"'“”‘’«»]))/u

const MAX_LENGTH = 3_000

/**
 * Replaces the slots of a model's text, `{1}` and so on, with their values. Numbers and names come from slots only, so that a model
 * can invent neither.
 * @param values those of the slots, from 1
 * @returns why the text is refused: a number or an address outside of slots, an unknown slot, or one that adjoins a word or a slot
 */
export function fillSlots(text: string, values: readonly string[]): { text: string } | { reason: string } {
  // texts and numbers of slots, alternating
  const parts = text.normalize('NFKC').split(/\{(\d+)\}/)
  const texts = parts.filter((_, i) => i % 2 === 0)
  const slots = parts.filter((_, i) => i % 2 === 1)
  const refusal = faultOf(texts, slots, values)
  if (refusal) return { reason: refusal }
  const filled = parts.map((part, i) => (i % 2 === 0 ? part : values[Number(part) - 1])).join('')
  return filled.length > MAX_LENGTH ? { reason: 'Its text is too long with its slots filled.' } : { text: filled }
}

function faultOf(texts: string[], slots: string[], values: readonly string[]): string | null {
  const filled = (slot: string | undefined) => values[Number(slot) - 1] ?? ''
  const isKnown = (slot: string) => /^[1-9]/.test(slot) && values[Number(slot) - 1] !== undefined
  if (!slots.every(isKnown) || texts.some((text) => /[{}]/.test(text))) return 'Its text has an unknown slot.'
  const outside = texts.join(' ')
  if (/[\p{N}〇一二三四五六七八九十百千万億]/u.test(outside)) return 'Its text has a digit outside of slots.'
  if (ROMAN.test(outside) || outside.match(/\p{L}+/gu)?.some((word) => NUMBER_WORD.test(word)))
    return 'Its text has a number word.'
  if (ADDRESS.test(outside)) return 'Its text has an address.'
  const isApart = slots.every((slot, i) => {
    const [before = '', after = ''] = [texts[i], texts[i + 1]]
    // between two slots stands at least a blank, and between two numbers more than that
    const joins = i > 0 && before.trim() === '' && /\d$/.test(filled(slots[i - 1])) && /^[\d-]/.test(filled(slot))
    return (i === 0 || before !== '') && !joins && BEFORE.test(before) && AFTER.test(after)
  })
  return isApart ? null : 'Its text has a slot that adjoins a word or another slot.'
}
