/** Longer names of people and companies are rare, and a subject is short. */
const MAX_CHARACTERS = 80

/**
 * A name that somebody chose, for a mail to a stranger: nothing in it becomes a link, and no control or direction mark reorders the line. URLs go;
 * `evil.example` becomes `evil. example`, which `St.Gallen` survives.
 */
export function sanitizeName(name: string): string {
  const plain = name
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S*/gi, '')
    .replace(/\bwww\.\S+/gi, '')
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ')
    .replace(/(?<=[\p{L}\p{N}-])[.\u3002\uff0e](?=[\p{L}\p{N}])/gu, '. ')
    .replace(/[@/\\]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const letters = [...plain]
  return letters.length > MAX_CHARACTERS ? `${letters.slice(0, MAX_CHARACTERS - 1).join('')}…` : plain
}
