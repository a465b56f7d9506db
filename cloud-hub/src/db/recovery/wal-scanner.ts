import { crc32c } from './crc32c.ts'
import { formatLsn, type Lsn } from './lsn.ts'

/** Of every page of the WAL. A server may be built with another size; the hub's, and those of distributions, are not. */
const PAGE = 8_192
/** Headers of a page: the long one begins a segment. Source: PostgreSQL, xlog_internal.h (XLogPageHeaderData, XLogLongPageHeaderData) */
const [SHORT_HEADER, LONG_HEADER] = [24, 40]
const [FIRST_IS_CONTRECORD, LONG, FIRST_IS_OVERWRITE_CONTRECORD] = [0x0001, 0x0002, 0x0008]
/** Source: PostgreSQL, xlogrecord.h (XLogRecord: total length, transaction, previous record, info, resource manager, CRC) */
const RECORD_HEADER = 24
const MAX_RECORD = 1_069_547_520
const [RM_XLOG, RM_XACT] = [0, 1]
const XLOG_SWITCH = 0x40
/** Operations of transactions whose records begin with an instant: commit, abort, and both of prepared ones. Source: xact.h */
const TIMED_XACTS: readonly number[] = [0x00, 0x20, 0x30, 0x40]
/** Microseconds from 1970 to 2000, where PostgreSQL's instants begin. */
const EPOCH_US = 946_684_800_000_000n

/** Why a scan cannot go on. `end`: nothing was written there yet */
export interface ScanStop {
  kind: 'end' | 'damaged'
  lsn: Lsn
  detail: string
}

/**
 * Reads the WAL page by page, verifies the checksum of every record, and notes when transactions ended. So a restore knows the last
 * instant that an archive leads to before it changes anything.
 */
export class WalScanner {
  /** the end of the last transaction, in microseconds since 1970; null before the first one */
  lastTransactionUs: bigint | null = null
  /** where the next record begins */
  position: Lsn
  readonly #options: { systemId: bigint; segmentBytes: number; untilUs: bigint | null; endOf(timeline: number): Lsn }
  #pending: Buffer[] = []
  #pendingBytes = 0
  #remaining = 0
  #pendingLsn = 0
  #previous: Lsn | null = null
  /** A transaction that ended later than `untilUs` was read: recovery stops there. */
  isPast = false

  /** @param options `endOf`: where a timeline was left */
  constructor(
    start: Lsn,
    options: { systemId: bigint; segmentBytes: number; untilUs: bigint | null; endOf(timeline: number): Lsn },
  ) {
    this.position = start
    this.#options = options
  }

  /** Reads a whole segment. @returns null to go on with the next one, unless `isPast` */
  feed(bytes: Buffer, segment: number, timeline: number): ScanStop | null {
    const base = segment * this.#options.segmentBytes
    if (bytes.length !== this.#options.segmentBytes)
      return this.#damaged(base, `it has ${bytes.length} of ${this.#options.segmentBytes} bytes`)
    const first = Math.max(0, this.position - base)
    for (let at = first - (first % PAGE); at < bytes.length; at += PAGE) {
      const stop = this.#page(bytes.subarray(at, at + PAGE), base + at, timeline)
      if (stop === 'next segment') break
      if (stop || this.isPast) return stop
    }
    this.position = Math.max(this.position, base + bytes.length)
    return null
  }

  #page(page: Buffer, lsn: Lsn, timeline: number): ScanStop | 'next segment' | null {
    const fault = this.#headerFault(page, lsn, timeline)
    if (fault) return fault
    const flags = page.readUInt16LE(2)
    let at = flags & LONG ? LONG_HEADER : SHORT_HEADER
    if (flags & FIRST_IS_OVERWRITE_CONTRECORD) this.#drop()
    if (this.#remaining > 0) {
      if (!(flags & FIRST_IS_CONTRECORD) || page.readUInt32LE(16) !== this.#remaining)
        return this.#damaged(this.#pendingLsn, 'the record does not go on')
      at = this.#take(page, at)
    } else if (flags & FIRST_IS_CONTRECORD && this.position <= lsn) return this.#damaged(lsn, 'a record without a beginning')
    else at = Math.max(at, this.position - lsn)
    for (;;) {
      if (this.#isComplete()) {
        const outcome = this.#record()
        if (outcome) return outcome
        if (this.isPast) return null
      }
      if (this.#remaining > 0) return null
      at = (at + 7) & ~7
      this.position = lsn + at
      if (at >= PAGE) return null
      if (this.position >= this.#options.endOf(timeline)) return { kind: 'end', lsn: this.position, detail: 'its timeline ends' }
      const total = page.readUInt32LE(at)
      if (total === 0) return { kind: 'end', lsn: this.position, detail: 'nothing was written there yet' }
      if (total < RECORD_HEADER || total > MAX_RECORD) return this.#damaged(this.position, `a record of ${total} bytes`)
      this.#remaining = total
      this.#pendingLsn = this.position
      at = this.#take(page, at)
    }
  }

  #headerFault(page: Buffer, lsn: Lsn, timeline: number): ScanStop | null {
    if (page.readUInt16LE(0) === 0) return { kind: 'end', lsn, detail: 'nothing was written there yet' }
    const address = Number(page.readBigUInt64LE(8))
    if (address !== lsn) return this.#damaged(lsn, `a page of ${formatLsn(address)}`)
    if (page.readUInt32LE(4) > timeline) return this.#damaged(lsn, `a page of timeline ${page.readUInt32LE(4)}`)
    const isLong = (page.readUInt16LE(2) & LONG) !== 0
    if (isLong !== (lsn % this.#options.segmentBytes === 0)) return this.#damaged(lsn, 'a wrong header')
    if (!isLong) return null
    const systemId = page.readBigUInt64LE(24)
    if (systemId !== this.#options.systemId) return this.#damaged(lsn, `it belongs to another cluster (${systemId})`)
    const sizes = [page.readUInt32LE(32), page.readUInt32LE(36)]
    return sizes[0] === this.#options.segmentBytes && sizes[1] === PAGE ? null : this.#damaged(lsn, `pages of ${sizes[1]} bytes`)
  }

  /** Takes what the page has of the record. @returns where the next one begins */
  #take(page: Buffer, at: number): number {
    const part = page.subarray(at, at + Math.min(this.#remaining, PAGE - at))
    this.#pending.push(part)
    this.#pendingBytes += part.length
    this.#remaining -= part.length
    return at + part.length
  }

  readonly #isComplete = () => this.#remaining === 0 && this.#pendingBytes > 0

  #drop(): void {
    this.#pending = []
    this.#pendingBytes = this.#remaining = 0
    this.#previous = null
  }

  #record(): ScanStop | 'next segment' | null {
    const record = this.#pending.length === 1 ? (this.#pending[0] as Buffer) : Buffer.concat(this.#pending)
    this.#pending = []
    this.#pendingBytes = 0
    const sum = crc32c(record.subarray(0, 20), crc32c(record.subarray(RECORD_HEADER)))
    if (sum !== record.readUInt32LE(20)) return this.#damaged(this.#pendingLsn, 'a record does not match its checksum')
    const previous = Number(record.readBigUInt64LE(8))
    if (this.#previous !== null && previous !== this.#previous)
      return this.#damaged(this.#pendingLsn, `a record that follows ${formatLsn(previous)}`)
    this.#previous = this.#pendingLsn
    const [info, manager] = [record.readUInt8(16), record.readUInt8(17)]
    if (manager === RM_XLOG && (info & 0xf0) === XLOG_SWITCH) return 'next segment'
    if (manager === RM_XACT && TIMED_XACTS.includes(info & 0x70)) this.#noteTransaction(record)
    return null
  }

  #noteTransaction(record: Buffer): void {
    const at = mainDataOffset(record)
    if (at === null || at + 8 > record.length) return
    const endedUs = record.readBigInt64LE(at) + EPOCH_US
    if (this.#options.untilUs !== null && endedUs > this.#options.untilUs) this.isPast = true
    else if (this.lastTransactionUs === null || endedUs > this.lastTransactionUs) this.lastTransactionUs = endedUs
  }

  #damaged(lsn: Lsn, detail: string): ScanStop {
    return { kind: 'damaged', lsn, detail: `${detail} at ${formatLsn(lsn)}` }
  }
}

/** Ids of the parts of a record. Source: PostgreSQL, xlogrecord.h (XLR_BLOCK_ID_*) */
const [DATA_SHORT, DATA_LONG, ORIGIN, TOPLEVEL_XID] = [255, 254, 253, 252]

/** Where the data of a record without blocks begin; null for one with blocks, which no end of a transaction has. */
function mainDataOffset(record: Buffer): number | null {
  for (let at = RECORD_HEADER; at < record.length; ) {
    const id = record.readUInt8(at)
    if (id === DATA_SHORT) return at + 2
    if (id === DATA_LONG) return at + 5
    if (id === ORIGIN) at += 3
    else if (id === TOPLEVEL_XID) at += 5
    else return null
  }
  return null
}
