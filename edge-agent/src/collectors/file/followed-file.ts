import type { FileHandle } from 'node:fs/promises'
import type { ReadingColumns } from '@haltless/protocol'
import { ColumnsBuilder } from '../columns-builder.ts'
import type { Tag } from '../tag.ts'
import type { FileConfig } from './contract.ts'
import type { Extractor, LastTimestamp } from './extract.ts'
import { type FoundFile, openFile } from './find-files.ts'
import { ANCHOR_BYTES, anchorIn, anchorOf, hashOf, isFileOf, type Position, readBytes } from './position.ts'
import { columnsOf, type FileRecord, type LineReader, lineReader, listed, parseJson, recordsOf, Unreadable } from './records.ts'

/** What is read and stored at once; no line may be longer. */
const PORTION_BYTES = 262_144
/** The header and what stands before it. */
const HEADER_BYTES = 65_536
const DOCUMENT_MAX_BYTES = 16 * 1_048_576
/** A document that is no JSON and has not changed for so long will not become any. */
const HALF_WRITTEN_MS = 10_000
const LINE_END = 0x0a

/** Some records of a file, and where it is read on after them. */
export interface Portion {
  readings: ReadingColumns
  position: Position
  records: number
  /** of lines and documents that cannot be used: how many, and the first reason */
  leftOut: { count: number; reason: string; isLast: boolean }
}

/** What every file of a collector is read with. */
export interface Reading {
  config: FileConfig
  tags: readonly Tag[]
  extractor: Extractor
}

/** One file that is read as it grows, or as a whole whenever it changes. */
export class FollowedFile {
  /** null: no name leads to it any more */
  path: string | null
  position: Position
  /** the state of the file when everything in it had been read; null: there may be more */
  readAt: FoundFile | null = null
  /** why it cannot be read, '' when it can */
  fault = ''
  /** Something incomplete is left that may count later, although nothing changes. */
  isWaiting = false
  #handle: FileHandle | null = null
  #lines: LineReader | null = null
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
    if (this.path === null) throw new Error('the file was removed')
    const file = await openFile(this.path)
    const stats = await file.stat()
    if (!stats.isFile() || stats.ino !== this.position.inode) {
      await file.close()
      throw new Error('another file has taken its place')
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
    const from = Math.max(0, found.size - PORTION_BYTES)
    const end = (await readBytes(file, from, found.size - from)).lastIndexOf(LINE_END) + 1
    this.position.offset = from + end
    this.position.anchor = await anchorOf(file, this.position.offset)
  }

  /** Moves to the last lines, to read some of them. */
  async skipMost({ size }: FoundFile): Promise<void> {
    const from = Math.max(0, size - HEADER_BYTES)
    const file = await this.open()
    if (from === 0) return
    this.position.offset = from + (await readBytes(file, from, HEADER_BYTES)).indexOf(LINE_END) + 1
    this.position.anchor = await anchorOf(file, this.position.offset)
  }

  /**
   * The next records; null when there are none that are complete.
   * @param isSettled whether a last line without an end is complete
   */
  async next(reading: Reading, found: FoundFile | null, isSettled: boolean, now: number): Promise<Portion | null> {
    return reading.config.format === 'json' ? this.#document(reading, found, now) : this.#portion(reading, isSettled)
  }

  async #portion({ config, tags, extractor }: Reading, isSettled: boolean): Promise<Portion | null> {
    const file = await this.open()
    this.#lines ??= await this.#readHeader(file, config)
    this.isWaiting = false
    if (!this.#lines) return null
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
    const window = Buffer.concat([before, bytes])
    let end = bytes.lastIndexOf(LINE_END) + 1
    const isTooLong = end === 0 && bytes.length === PORTION_BYTES
    if (isTooLong || (end === 0 && isSettled)) end = bytes.length
    this.isWaiting = end < bytes.length && config.last_line_after_seconds > 0
    if (end === 0) return null
    const records = new Records(tags, extractor, structuredClone(last))
    if (isTooLong) {
      if (!isSkipping) records.leaveOut(`a line is longer than ${PORTION_BYTES / 1_024} KiB`)
    } else {
      const from = isSkipping ? bytes.indexOf(LINE_END) + 1 : 0
      const text = new TextDecoder(config.encoding).decode(bytes.subarray(from, end))
      for (const line of text.split('\n')) {
        const lines = this.#lines
        const content = line.endsWith('\r') ? line.slice(0, -1) : line
        if (content.trim() !== '') records.take(() => lines(content))
      }
    }
    const next = {
      offset: offset + end,
      anchor: anchorIn(offset > back ? head : window, window.subarray(0, back + end), offset + end),
    }
    return records.portion({ inode, start, ...next, isSkipping: isTooLong, isIdle: false, last: records.last })
  }

  /** Reads what stands before the records, and moves behind it. @returns null while that is not complete */
  async #readHeader(file: FileHandle, config: FileConfig): Promise<LineReader | null> {
    const bytes = await readBytes(file, 0, HEADER_BYTES)
    if (bytes.length >= 2 && [0xfffe, 0xfeff].includes(bytes.readUInt16BE(0)))
      throw new Unreadable('the file is in UTF-16; have it written in UTF-8')
    const hasHeader = config.format === 'csv' && config.header
    let start = 0
    let from = 0
    for (let line = 0; line < config.skip_lines + Number(hasHeader); line++) {
      from = start
      start = bytes.indexOf(LINE_END, from) + 1
      if (start === 0 && bytes.length === HEADER_BYTES) throw new Unreadable('its first 64 KiB have no end of the header')
      if (start === 0) return null
    }
    const header = hasHeader ? new TextDecoder(config.encoding).decode(bytes.subarray(from, start)).trim() : null
    this.columns = header === null ? null : columnsOf(header, config.delimiter)
    const missing = this.columns && config.timestamp?.field.find((name) => !this.columns?.includes(name))
    if (missing)
      throw new Unreadable(`there is no column ${missing}, which timestamp names; there are ${listed(this.columns ?? [])}`)
    if (this.position.offset < start) {
      const before = bytes.subarray(0, start)
      this.position = { ...this.position, offset: start, start, anchor: anchorIn(before, before, start) }
    }
    return lineReader(config, header)
  }

  async #document({ config, tags, extractor }: Reading, found: FoundFile | null, now: number): Promise<Portion | null> {
    this.isWaiting = false
    if (!found) return null
    if (found.size > DOCUMENT_MAX_BYTES)
      throw new Unreadable(`it is larger than ${DOCUMENT_MAX_BYTES / 1_048_576} MiB; json_lines has no such limit`)
    this.position.inode = found.inode
    await this.close()
    const file = await this.open()
    const bytes = await readBytes(file, 0, DOCUMENT_MAX_BYTES)
    await this.close()
    const anchor = hashOf(bytes)
    if (anchor === this.position.anchor) return null
    const records = new Records(tags, extractor, noTimestamp())
    try {
      const value = parseJson(new TextDecoder(config.encoding).decode(bytes))
      records.take(() => recordsOf(value, config))
    } catch (error) {
      // it may be written just now
      if (!(error instanceof Unreadable)) throw error
      this.isWaiting = now - found.modifiedAt < HALF_WRITTEN_MS
      if (this.isWaiting) return null
      records.leaveOut(error.message)
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
    })
  }
}

const noTimestamp = (): LastTimestamp => ({ at: 0, seen: {} })

/** The records of a portion, as they become readings. */
class Records {
  readonly last: LastTimestamp
  readonly #extractor: Extractor
  readonly #out: ColumnsBuilder
  #count = 0
  readonly #leftOut = { count: 0, reason: '', isLast: false }

  constructor(tags: readonly Tag[], extractor: Extractor, last: LastTimestamp) {
    this.#extractor = extractor
    this.#out = new ColumnsBuilder(tags)
    this.last = last
  }

  take(read: () => FileRecord[]): void {
    try {
      for (const record of read()) {
        this.#count++
        this.#extractor.extract(record, this.last, this.#out)
        this.#leftOut.isLast = false
      }
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      this.leaveOut(error.message)
    }
  }

  leaveOut(reason: string): void {
    this.#leftOut.reason ||= reason
    this.#leftOut.count++
    this.#leftOut.isLast = true
  }

  portion(position: Position): Portion {
    return { readings: this.#out.columns(), position, records: this.#count, leftOut: this.#leftOut }
  }
}
