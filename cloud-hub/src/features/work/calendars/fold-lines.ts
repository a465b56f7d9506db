/** Octets of a content line without its line break. Source: RFC 5545, 3.1 */
const MAX_OCTETS = 75
const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

/**
 * Folds the content lines of an iCalendar text again, so that a reader that shows lines before it unfolds them splits no letter from
 * its marks. Only a grapheme that is longer than a line is split, between code points. Source: RFC 5545, 3.1
 * @param text content lines with CRLF, folded or not
 */
export const foldLines = (text: string): string =>
  text
    .replaceAll(/\r\n[ \t]/g, '')
    .split('\r\n')
    .map((line) => (Buffer.byteLength(line) > MAX_OCTETS ? fold(line) : line))
    .join('\r\n')

function fold(line: string): string {
  let [folded, octets] = ['', 0]
  for (const part of partsOf(line)) {
    const size = Buffer.byteLength(part)
    if (octets + size > MAX_OCTETS) {
      folded += '\r\n '
      octets = 1
    }
    folded += part
    octets += size
  }
  return folded
}

/** The parts of a line that stay together. In printable ASCII each character is a grapheme. */
function* partsOf(line: string): Iterable<string> {
  if (/^[ -~]*$/.test(line)) return yield* line
  for (const { segment } of graphemes.segment(line)) {
    if (Buffer.byteLength(segment) < MAX_OCTETS) yield segment
    else yield* segment
  }
}
