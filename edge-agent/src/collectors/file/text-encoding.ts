import type { FileConfig } from './contract.ts'

type EncodingName = FileConfig['encoding']

/** Byte order marks, with which programs begin a file. */
const MARKS: readonly [mark: Buffer, name: EncodingName][] = [
  [Buffer.from([0xff, 0xfe]), 'utf-16le'],
  [Buffer.from([0xfe, 0xff]), 'utf-16be'],
  [Buffer.from([0xef, 0xbb, 0xbf]), 'utf-8'],
]

/** How the bytes of a file become lines. Offsets are those of the bytes given, which begin at a whole character. */
export class TextEncoding {
  readonly #name: EncodingName
  readonly #lineEnd: Buffer
  /** bytes of a line end, of which an offset is a multiple */
  readonly unitBytes: number

  private constructor(name: EncodingName) {
    this.#name = name
    this.#lineEnd =
      name === 'utf-16le' ? Buffer.from([0x0a, 0]) : name === 'utf-16be' ? Buffer.from([0, 0x0a]) : Buffer.from([0x0a])
    this.unitBytes = this.#lineEnd.length
  }

  /** @param head how a file begins. @param configured counts where that is no byte order mark */
  static of(head: Buffer, configured: EncodingName): TextEncoding {
    const marked = MARKS.find(([mark]) => head.subarray(0, mark.length).equals(mark))
    return new TextEncoding(marked?.[1] ?? configured)
  }

  /** Without the byte order mark, and damaged bytes as U+FFFD. */
  decode(bytes: Uint8Array): string {
    return new TextDecoder(this.#name).decode(bytes)
  }

  /** The largest offset up to this one that lies between two characters. */
  aligned(offset: number): number {
    return offset - (offset % this.unitBytes)
  }

  /** The offset behind the first line end from an offset on; 0: there is none. */
  afterLine(bytes: Buffer, from = 0): number {
    let at = bytes.indexOf(this.#lineEnd, from)
    while (at >= 0 && at % this.unitBytes !== 0) at = bytes.indexOf(this.#lineEnd, at + 1)
    return at < 0 ? 0 : at + this.unitBytes
  }

  /** The offset behind so many line ends from an offset on, which are there. */
  afterLines(bytes: Buffer, from: number, count: number): number {
    let at = from
    for (let line = 0; line < count; line++) at = this.afterLine(bytes, at)
    return at
  }

  /** The offset behind the last line end; 0: there is none. */
  afterLastLine(bytes: Buffer): number {
    let at = bytes.lastIndexOf(this.#lineEnd)
    while (at > 0 && at % this.unitBytes !== 0) at = bytes.lastIndexOf(this.#lineEnd, at - 1)
    return at < 0 || at % this.unitBytes !== 0 ? 0 : at + this.unitBytes
  }
}

/** The lines of a text, without their ends. */
export function linesOf(text: string): string[] {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
  if (lines.at(-1) === '') lines.pop()
  return lines
}
