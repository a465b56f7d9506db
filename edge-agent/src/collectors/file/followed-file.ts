import type { FileHandle } from 'node:fs/promises'
import { type Fault, fault } from '@haltless/protocol'
import { FaultError } from '../../support/fault-error.ts'
import type { FileConfig } from './contract.ts'
import { DatedRecords } from './extract.ts'
import { type FoundFile, openFile } from './find-files.ts'
import { noTimestamp, type Portion, type Reading, Records } from './portion.ts'
import { ANCHOR_BYTES, anchorIn, anchorOf, hashOf, isFileOf, type Position, readBytes } from './position.ts'
import { columnsOf, type LineReader, lineReader, linesOfRecord, listed, parseJson, recordsOf, Unreadable } from './records.ts'
import { linesOf, TextEncoding } from './text-encoding.ts'

/** What is read and stored at once; no line may be longer. */
const PORTION_BYTES = 262_144
/** The header and what stands before it. */
const HEADER_BYTES = 65_536
const DOCUMENT_MAX_BYTES = 16 * 1_048_576
/** A document that is no JSON, or a quoted cell that is not closed, stays so when the file has not changed for so long. */
const HALF_WRITTEN_MS = 10_000
/** A byte order mark. */
const MARK_BYTES = 3
/** How one begins; undefined: the file is empty. */
const MARK_BEGINS = new Set([undefined, 0xff, 0xfe, 0xef])

/** One file that is read as it grows, or as a whole whenever it changes. */
export class FollowedFile {
  /** null: no name leads to it any more */
  path: string | null
  position: Position
  /** the state of the file when everything in it had been read; null: there may be more */
  readAt: FoundFile | null = null
  /** why it cannot be read, '' when it can */
  fault: Fault | null = null
  /** Something incomplete is left that may count later, although nothing changes. */
  isWaiting = false
  #handle: FileHandle | null = null
  #lines: LineReader | null = null
  #encoding: TextEncoding | null = null
  /** names of the columns, for messages; null without a header */
  columns: readonly string[] | null = null

  constructor(found: FoundFile, position: Position | null) {
    this.path = found.path
    this.position = position ?? {
      inode: found.inode,
      offset: 0,
      start: 0,
      anchor: '',
      isSkipping: false,
      isIdle: false,
      last: noTimestamp(),
    }
  }

  get isOpen(): boolean {
    return this.#handle !== null
  }

  /** @throws Error of the file system, also when another file has taken its place meanwhile */
  async open(): Promise<FileHandle> {
    if (this.#handle) return this.#handle
    if (this.path === null) throw new FaultError(fault('file_removed'))
    const file = await openFile(this.path)
    const stats = await file.stat()
    if (!stats.isFile() || stats.ino !== this.position.inode) {
      await file.close()
      throw new FaultError(fault('file_replaced'))
    }
    this.#handle = file
    return file
  }

  async close(): Promise<void> {
    const file = this.#handle
    this.#handle = null
    this.#lines = null
    await file?.close()
  }

  /** Whether a file is the one that was read up to {@link position}. */
  async isStill(found: FoundFile): Promise<boolean> {
    if (found.inode !== this.position.inode) return false
    if (this.readAt && this.readAt.size === found.size && this.readAt.modifiedAt === found.modifiedAt) return true
    if (this.position.offset === 0) return true
    return isFileOf(await this.open(), found.size, this.position)
  }

  /** Passes over what is in the file already; the line that is being written is read once it is complete. */
  async skipToEnd({ config }: Reading, found: FoundFile): Promise<void> {
    const file = await this.open()
    if (config.format === 'json') {
      this.position.anchor = hashOf(await readBytes(file, 0, Math.min(found.size, DOCUMENT_MAX_BYTES)))
      return
    }
    const encoding = TextEncoding.of(await readBytes(file, 0, MARK_BYTES), config.encoding)
    const from = encoding.aligned(Math.max(0, found.size - PORTION_BYTES))
    this.position.offset = from + encoding.afterLastLine(await readBytes(file, from, found.size - from))
    this.position.anchor = await anchorOf(file, this.position.offset)
  }

  /** Moves to the last lines, to read some of them. */
  async skipMost({ config }: Reading, { size }: FoundFile): Promise<void> {
    const file = await this.open()
    const encoding = TextEncoding.of(await readBytes(file, 0, MARK_BYTES), config.encoding)
    const from = encoding.aligned(Math.max(0, size - HEADER_BYTES))
    if (from === 0) return
    this.position.offset = from + encoding.afterLine(await readBytes(file, from, HEADER_BYTES))
    this.position.anchor = await anchorOf(file, this.position.offset)
  }

  /**
   * The next records; null when there are none that are complete.
   * @param isSettled whether a last line without an end is complete
   */
  async next(reading: Reading, found: FoundFile | null, isSettled: boolean, now: number): Promise<Portion | null> {
    return reading.config.format === 'json' ? this.#document(reading, found, now) : this.#portion(reading, found, isSettled, now)
  }

  async #portion(reading: Reading, found: FoundFile | null, isSettled: boolean, now: number): Promise<Portion | null> {
    const { config } = reading
    const file = await this.open()
    this.#lines ??= await this.#readHeader(file, config)
    this.isWaiting = false
    if (!this.#lines || !this.#encoding) return null
    const { offset, isSkipping, last, inode, start, anchor } = this.position
    // What stands before is compared after the read, which takes several calls: the file may be truncated and grow again at any moment.
    const back = Math.min(ANCHOR_BYTES, offset)
    const bytes = await readBytes(file, offset, PORTION_BYTES)
    const head = await readBytes(file, 0, back)
    const before = await readBytes(file, offset - back, back)
    if (before.length < back || (back > 0 && anchorIn(head, before, offset) !== anchor)) {
      this.isWaiting = true
      return null
    }
    const isFull = bytes.length === PORTION_BYTES
    let end = this.#encoding.afterLastLine(bytes)
    const isTooLong = end === 0 && isFull
    if (isTooLong || (isSettled && !isFull)) end = this.#encoding.aligned(bytes.length)
    const isLineOpen = end < bytes.length && config.last_line_after_seconds > 0
    const records = new Records(reading, structuredClone(last))
    if (isTooLong) {
      if (!isSkipping) records.leaveOut(fault('file_line_too_long', { limit: PORTION_BYTES / 1_024 }))
    } else {
      const from = isSkipping ? this.#encoding.afterLine(bytes) : 0
      // The bytes of a full portion go on; of the last one only while the file is being written.
      const isWritten = found === null || isSettled || now - found.modifiedAt >= HALF_WRITTEN_MS
      const lines = linesOf(this.#encoding.decode(bytes.subarray(from, end)))
      // A cell may be closed in the line that has no end yet.
      const tail = this.#encoding.decode(bytes.subarray(end, this.#encoding.aligned(bytes.length)))
      const isClosedIn = (at: number) => linesOfRecord([...lines.slice(at), tail], 0, config.delimiter) !== null
      const isComplete = (at: number) => (isFull ? at === 0 && from === 0 : isWritten && !(tail !== '' && isClosedIn(at)))
      const taken = records.takeLines(lines, this.#lines, config, isComplete)
      if (taken < lines.length) end = this.#encoding.afterLines(bytes, from, taken)
      this.isWaiting = isLineOpen || taken < lines.length
    }
    if (end === 0) return null
    const window = Buffer.concat([before, bytes])
    const next = {
      offset: offset + end,
      anchor: anchorIn(offset > back ? head : window, window.subarray(0, back + end), offset + end),
    }
    return records.portion({ inode, start, ...next, isSkipping: isTooLong, isIdle: false, last: records.last })
  }

  /** Reads what stands before the records, and moves behind it. @returns null while that is not complete */
  async #readHeader(file: FileHandle, config: FileConfig): Promise<LineReader | null> {
    const bytes = await readBytes(file, 0, HEADER_BYTES)
    // A byte order mark may not be there as a whole.
    if (bytes.length < MARK_BYTES && MARK_BEGINS.has(bytes[0])) return null
    const encoding = TextEncoding.of(bytes, config.encoding)
    this.#encoding = encoding
    // An agent that did not know the encoding may have stopped within a character.
    const aligned = encoding.aligned(this.position.offset)
    if (aligned !== this.position.offset)
      this.position = { ...this.position, offset: aligned, anchor: await anchorOf(file, aligned) }
    const hasHeader = config.format === 'csv' && config.header
    let start = 0
    let header: string | null = null
    for (let line = 0; line < config.skip_lines + Number(hasHeader); line++) {
      const from = start
      start = encoding.afterLine(bytes, from)
      if (start === 0 && bytes.length === HEADER_BYTES) throw new Unreadable(fault('file_no_header_end'))
      if (start === 0) return null
      if (line < config.skip_lines) continue
      const lines = linesOf(encoding.decode(bytes.subarray(from, encoding.afterLastLine(bytes))))
      const count = linesOfRecord(lines, 0, config.delimiter) ?? 1
      header = lines.slice(0, count).join('\n').trim()
      start = encoding.afterLines(bytes, from, count)
    }
    this.columns = header === null ? null : columnsOf(header, config.delimiter)
    const missing = this.columns && config.timestamp?.field.find((name) => !this.columns?.includes(name))
    if (missing) throw new Unreadable(fault('file_no_timestamp_column', { field: missing, names: listed(this.columns ?? []) }))
    if (this.position.offset < start) {
      const before = bytes.subarray(0, start)
      this.position = { ...this.position, offset: start, start, anchor: anchorIn(before, before, start) }
    }
    return lineReader(config, header)
  }

  async #document(reading: Reading, found: FoundFile | null, now: number): Promise<Portion | null> {
    const { config } = reading
    this.isWaiting = false
    if (!found) return null
    if (found.size > DOCUMENT_MAX_BYTES)
      throw new Unreadable(fault('file_document_too_large', { limit: DOCUMENT_MAX_BYTES / 1_048_576 }))
    this.position.inode = found.inode
    await this.close()
    const file = await this.open()
    const bytes = await readBytes(file, 0, DOCUMENT_MAX_BYTES)
    await this.close()
    const anchor = hashOf(bytes)
    if (anchor === this.position.anchor) return null
    const dated = new DatedRecords(this.position.dated)
    const records = new Records(reading, noTimestamp(), dated)
    try {
      const value = parseJson(TextEncoding.of(bytes, config.encoding).decode(bytes))
      records.take(() => recordsOf(value, config))
    } catch (error) {
      // it may be written just now
      if (!(error instanceof Unreadable)) throw error
      this.isWaiting = now - found.modifiedAt < HALF_WRITTEN_MS
      if (this.isWaiting) return null
      records.leaveOut(error.fault)
    }
    const { inode } = found
    return records.portion({
      inode,
      offset: bytes.length,
      start: 0,
      anchor,
      isSkipping: false,
      isIdle: false,
      last: records.last,
      dated: dated.entries(records.isWhole),
    })
  }
}
