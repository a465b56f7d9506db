import { fault } from '@haltless/protocol'
import { errorFault, fileErrorFault } from '../../support/error-message.ts'
import { FaultError } from '../../support/fault-error.ts'
import type { Collector, CollectorDeps, FileSource } from '../collector.ts'
import { ColumnsBuilder } from '../columns-builder.ts'
import { isStamped } from '../contract.ts'
import { rightTimeKnown } from '../right-time.ts'
import { type CollectorRun, runCollector } from '../runner.ts'
import { SourceClock } from '../source-clock.ts'
import { StatusBoard } from '../status-board.ts'
import type { Tag } from '../tag.ts'
import { Extractor, fileTags } from './extract.ts'
import { FileSet, IDLE_MS } from './file-set.ts'
import { type FoundFile, whyNoFile } from './find-files.ts'
import type { FollowedFile } from './followed-file.ts'
import type { Portion, Reading } from './portion.ts'
import { listed } from './records.ts'

/** Reads files as they grow. How far it has read is stored together with the readings, so each line counts once, whatever ends the agent. */
export function createFileCollector(source: FileSource, deps: CollectorDeps): Collector {
  const tags = fileTags(source)
  const sourceClock = new SourceClock(source.config, 'lines', deps)
  const board = new StatusBoard(tags, deps, { isEventDriven: true, sourceClock: () => sourceClock.status() })
  const files = new FileReader(source, tags, board, sourceClock, deps)
  let polling: Promise<void> = Promise.resolve()
  return runCollector(
    source.name,
    deps,
    board,
    async (run) => {
      if (isStamped(source.config)) await rightTimeKnown(deps.clock, run.signal)
      while (!run.signal.aborted) {
        polling = files.poll(run)
        await polling
        await deps.clock.sleep(source.pollIntervalSeconds * 1_000, run.signal)
      }
    },
    async () => {
      await polling
      await files.close()
    },
  )
}

class FileReader {
  readonly #source: FileSource
  readonly #board: StatusBoard
  readonly #deps: CollectorDeps
  readonly #reading: Reading
  #files: FileSet | null = null
  /** tags that some record had */
  readonly #found = new Set<number>()
  /** tags that no record had, which the status says */
  readonly #blamed = new Set<number>()
  #records = 0

  constructor(source: FileSource, tags: readonly Tag[], board: StatusBoard, sourceClock: SourceClock, deps: CollectorDeps) {
    this.#source = source
    this.#board = board
    this.#deps = deps
    this.#reading = {
      config: source.config,
      tags,
      extractor: new Extractor(source.config, tags, board, deps.clock, sourceClock),
    }
  }

  /** Reads what has come since the last time. What fails shows in the status. */
  async poll(run: CollectorRun): Promise<void> {
    try {
      this.#files ??= this.#restore()
      if (!this.#files) return
      await this.#read(this.#files, run)
      if (!run.signal.aborted) await this.#report(this.#files)
    } catch (error) {
      if (!run.signal.aborted) this.#board.set('failing', errorFault(error))
    }
  }

  async close(): Promise<void> {
    await this.#files?.close()
  }

  #restore(): FileSet | null {
    const stored = this.#deps.checkpoints?.()
    if (stored) return new FileSet(this.#source.config, this.#deps.logger, stored)
    this.#board.set('failing', fault('file_progress_unreadable'))
    return null
  }

  async #read(files: FileSet, run: CollectorRun): Promise<void> {
    const { config } = this.#source
    const isSkipped = files.isFirstRun && (config.start === 'end' || !isStamped(config))
    const { changed, added, lostAfter } = await files.refresh(this.#deps.clock.monotonic())
    this.#noteLost(lostAfter)
    if (isSkipped) for (const file of added) await this.#skip(file, changed)
    const moved = files.checkpoints()
    if (moved.length > 0 && !(await this.#store(files, run, null, moved))) return
    for (const { file, found } of changed) {
      try {
        await this.#readFile(file, found, files, run)
        file.fault = null
      } catch (error) {
        if (run.signal.aborted) return
        file.fault = fileErrorFault(error)
        await file.close()
      }
      if (run.signal.aborted) return
    }
  }

  /** Nobody knows how many lines were lost, so each file counts once. @param after timestamps of the last records that were read */
  #noteLost(after: readonly number[]): void {
    const now = this.#deps.clock.now()
    const machines = [...new Set(this.#reading.tags.map(({ machine }) => machine))]
    for (const at of after) this.#board.lost(machines, at === 0 ? now : Math.min(at, now), now, 1)
  }

  async #skip(file: FollowedFile, changed: readonly { file: FollowedFile; found: FoundFile | null }[]): Promise<void> {
    const found = changed.find((one) => one.file === file)?.found
    if (found) await file.skipToEnd(this.#reading, found).catch(() => {})
  }

  async #readFile(file: FollowedFile, found: FoundFile | null, files: FileSet, run: CollectorRun): Promise<void> {
    const { last_line_after_seconds: seconds } = this.#source.config
    for (;;) {
      const isSettled = seconds > 0 && found !== null && Date.now() - found.modifiedAt > seconds * 1_000
      const portion = await file.next(this.#reading, found, isSettled, Date.now())
      if (!portion) {
        file.readAt = file.isWaiting ? null : found
        if (found && Date.now() - found.modifiedAt > IDLE_MS) await file.close()
        return
      }
      this.#noteLeftOut(portion.leftOut, portion.leftOut.count)
      if (!(await this.#store(files, run, portion, files.checkpointOf(file, portion.position)))) {
        // they are read again
        this.#noteLeftOut(portion.leftOut, -portion.leftOut.count)
        throw new FaultError(fault('file_lines_not_stored'))
      }
      file.position = portion.position
      this.#note(file, portion)
      if (run.signal.aborted) return
    }
  }

  /** @returns false when it could not be stored */
  async #store(
    files: FileSet,
    { handOnDurably }: CollectorRun,
    portion: Portion | null,
    checkpoints: { key: string; state: string | null }[],
  ): Promise<boolean> {
    const { tags, config } = this.#reading
    const readings = portion?.readings ?? new ColumnsBuilder(tags).columns()
    const missed = this.#board.takeMissed()
    const isStored = await handOnDurably(readings, { checkpoints, hasOwnTime: isStamped(config), missed })
    if (isStored) files.stored(checkpoints)
    return isStored
  }

  /** Lines that are left out are a gap of all tags, which is stored with the progress behind them. */
  #noteLeftOut({ isLast, reason }: Portion['leftOut'], count: number): void {
    for (const index of count === 0 ? [] : this.#reading.tags.keys()) {
      if (isLast && reason) this.#board.bad(index, reason)
      this.#board.missed(index, count)
    }
  }

  #note({ path, columns }: FollowedFile, { records, readings, leftOut }: Portion): void {
    const { board, config } = { board: this.#board, ...this.#reading }
    this.#records += records
    for (const index of readings.seriesIndex) this.#found.add(index)
    if (leftOut.count > 0) {
      const fields = { file: path, ...leftOut, reason: leftOut.reason?.detail }
      this.#deps.logger.warn(fields, 'lines were left out, because they cannot be read')
    }
    for (const [index, { field }] of config.fields.entries()) {
      if (this.#records === 0 || this.#found.has(index) || this.#blamed.has(index) || board.isBad(index)) continue
      this.#blamed.add(index)
      const isColumn = columns === null || columns.includes(field)
      board.bad(index, isColumn ? fault('file_no_value_yet') : fault('file_no_column', { field, names: listed(columns) }))
    }
  }

  async #report(files: FileSet): Promise<void> {
    const faults = files.faults()
    const [reason] = faults
    const { path } = this.#source.config
    if (files.matched === 0) this.#board.set('reconnecting', await whyNoFile(path))
    else if (reason)
      this.#board.set(
        faults.length < files.matched ? 'running' : 'failing',
        faults.length > 1 ? fault('and_more', { reason, count: faults.length - 1 }) : reason,
      )
    else if (files.leftOut > 0) this.#board.set('running', fault('file_too_many', { path, count: files.leftOut }))
    else this.#board.alive(this.#deps.clock.now())
  }
}
