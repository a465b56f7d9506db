/** Names are rarely longer, and subjects are short. */
const MAX_CHARACTERS = 80

/**
 * Sanitizes a user-chosen name for a mail to an unconfirmed address: no link, no control or direction characters. URLs are
 * removed; `evil.example` becomes `evil. example`, and `St.Gallen` stays readable.
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
