import { existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import path from 'node:path'
import {
  compareVersions,
  type Fault,
  fault,
  fileToInstall,
  ReleaseRefused,
  ReleaseVersion,
  readRelease,
} from '@haltless/protocol'
import { syncFolder, writeDurably } from '../support/durable-file.ts'
import { baselineOf, missingAfterSwitch, type StatusBaseline } from './health.ts'
import { type Installation, newestOf, type UpdateProgress } from './installation.ts'
import type { ReportedStatus } from './reported-status.ts'
import { readRequest, type UpdateRequest } from './request.ts'
import { readPublicKey, verifySignature } from './signature.ts'
import { ArchiveRefused } from './tar-reader.ts'
import { copyVerified, unpack } from './unpack.ts'

/** What the updater needs of the computer. */
export interface UpdaterHost {
  /** Unix ms */
  now(): number
  sleep(ms: number): Promise<void>
  /** ends the agent and starts the program that `current` leads to */
  restartAgent(): Promise<void>
  /** how often the agent was started again after it ended by itself, since the last {@link restartAgent} */
  agentRestarts(): Promise<number>
  /** what a program says to `--version`, run without rights. @throws Error with what went wrong */
  versionOf(programFolder: string): Promise<string>
  /** what the running agent writes; null: nothing that can be read */
  status(): ReportedStatus | null
  log(text: string): void
  /** after each step that survives a power cut: for tests */
  onStep?: (step: string) => void
}

export interface UpdaterOptions {
  installation: Installation
  /** where the agent hands updates over; the agent's user owns it */
  incoming: string
  host: UpdaterHost
  /** how long a new version has to prove itself, ms */
  confirmWithinMs?: number
  pollIntervalMs?: number
  /** an agent that runs for less has not shown yet what works, ms */
  settledMs?: number
}

const CONFIRM_WITHIN_MS = 600_000
const POLL_INTERVAL_MS = 2_000
const SETTLED_MS = 60_000
/** A program that ended this often does not get better. */
const RESTARTS_MAX = 5
/** After so many starts of this program the computer went down with the new version each time. */
const TRIALS_MAX = 3
/** An archive of 35 MB takes 120 MB unpacked, and as much again for a moment. */
const SPACE_FACTOR = 8
/** Characters of a reason in a report. */
const REASON_CHARS = 500

/** Why a rollback goes on that a power cut ended; an older updater wrote the words alone. */
const reasonOf = ({ fault: found, reason }: UpdateProgress): Fault =>
  found ?? fault('update_release_refused', { text: reason ?? '' })

/**
 * Installs what the agent has downloaded, judges it, and goes back to the confirmed version by itself. It runs as root with the program of the
 * confirmed version, without network, and can be killed at any moment: each step leaves a program that runs, and the next start goes on.
 */
export class Updater {
  readonly #options: Required<UpdaterOptions>

  constructor(options: UpdaterOptions) {
    this.#options = { confirmWithinMs: CONFIRM_WITHIN_MS, pollIntervalMs: POLL_INTERVAL_MS, settledMs: SETTLED_MS, ...options }
  }

  /** Finishes what was under way, then installs what waits. */
  async run(): Promise<void> {
    const { installation } = this.#options
    const { progress } = installation.state()
    if (progress?.phase === 'switched') await this.#judge(progress)
    else if (progress?.phase === 'rolling_back') await this.#rollBack(progress, reasonOf(progress))
    else await this.#leaveUnknown()
    const request = readRequest(this.#options.incoming)
    if (request) await this.#install(request)
    rmSync(installation.updateFile('pending'), { force: true })
  }

  async #install(request: UpdateRequest): Promise<void> {
    const { installation, host } = this.#options
    const known = installation.state().progress
    // the agent takes its request back when it has read how it ended
    if (known?.id === request.id && known.phase !== 'installing') return
    const from = installation.linked('confirmed')
    if (from === null || installation.linked('current') !== from)
      return host.log('no update: the confirmed version is not the one that runs')
    let progress: UpdateProgress = {
      phase: 'installing',
      id: request.id,
      version: from,
      from,
      at: this.#at(),
      reason: null,
      fault: null,
      sequence: 0,
      baseline: null,
      trials: 0,
    }
    let isSigned = false
    try {
      const { release, manifest } = readRelease(request.release)
      progress = { ...progress, version: manifest.version, sequence: manifest.sequence }
      const key = installation.updateKey(from)
      if (key === null) throw new ReleaseRefused('the installed package has no key for updates')
      verifySignature(release, readPublicKey(key))
      const installed = {
        version: from,
        platform: installation.platform(from) ?? '',
        sequence: installation.state().confirmed_sequence,
      }
      const file = fileToInstall(manifest, installed, host.now())
      isSigned = true
      this.#requireSpace(file.size * SPACE_FACTOR)
      this.#write(progress)
      const copy = installation.updateFile('archive.tar.zst')
      copyVerified(path.join(this.#options.incoming, 'archive.tar.zst'), copy, file)
      host.onStep?.('copied')
      await unpack(copy, installation.folderOf(manifest.version), installation.updateFile('.'))
      rmSync(copy)
      host.onStep?.('unpacked')
      const answer = await host.versionOf(installation.folderOf(manifest.version))
      if (answer !== manifest.version) throw new ArchiveRefused(`the program in the archive is version ${answer}`)
      // confirmed, it would be the last one that could be updated from the hub
      if (installation.updateKey(manifest.version) === null)
        throw new ArchiveRefused('it has no key for the next update: build it with --update-key')
      const platform = installation.platform(manifest.version)
      if (platform !== installed.platform) throw new ArchiveRefused(`the program in the archive is for ${platform}`)
    } catch (error) {
      return this.#refuse(progress, error, isSigned)
    }
    progress = { ...progress, phase: 'switched', at: this.#at(), baseline: baselineOf(await this.#statusBefore()) }
    this.#write(progress)
    host.onStep?.('decided')
    await this.#judge(progress)
  }

  /** What the running agent tells, once it has had the time to show what works: it may have just started, after a power cut for one. */
  async #statusBefore(): Promise<ReportedStatus | null> {
    const { host, settledMs, pollIntervalMs } = this.#options
    let status = host.status()
    // one that ends again and again never gets there
    for (let poll = 0; poll < (2 * settledMs) / pollIntervalMs; poll++) {
      if (status && status.writtenAt - status.startedAt >= settledMs) break
      await host.sleep(pollIntervalMs)
      status = host.status()
    }
    return status
  }

  /** Makes sure that the new program runs, and watches it until it has proved itself, or the time is over. */
  async #judge(known: UpdateProgress): Promise<void> {
    const { installation, host, confirmWithinMs, pollIntervalMs } = this.#options
    const { version } = known
    if (installation.linked('confirmed') === version) return this.#finish(known, 'confirmed', null)
    const overtaken = this.#overtakenBy(known)
    if (overtaken !== null) return this.#finish(known, 'rolled_back', overtaken)
    const progress = { ...known, trials: known.trials + 1 }
    this.#write(progress)
    if (progress.trials > TRIALS_MAX) return this.#rollBack(progress, fault('update_computer_restarts'))
    const before = host.status()
    installation.link('current', version)
    host.onStep?.('switched')
    host.log(`version ${version} runs on trial`)
    await host.restartAgent()
    host.onStep?.('restarted')
    const baseline = progress.baseline as StatusBaseline
    const polls = Math.ceil(confirmWithinMs / pollIntervalMs)
    let missing: Fault | null = null
    // counted in polls, because the clock of the computer may be set meanwhile
    for (let poll = 0; poll < polls; poll++) {
      await host.sleep(pollIntervalMs)
      missing = missingAfterSwitch(host.status(), version, before, baseline, poll === polls - 1)
      if (missing === null) return this.#confirm(progress)
      const restarts = await host.agentRestarts()
      if (restarts >= RESTARTS_MAX) return this.#rollBack(progress, fault('update_program_ends', { count: restarts }))
    }
    const minutes = Math.round(confirmWithinMs / 60_000)
    await this.#rollBack(progress, fault('update_time_over', { minutes, reason: missing ?? '' }))
  }

  /** A program on trial that no state tells of, because that was damaged: nobody would judge it. */
  async #leaveUnknown(): Promise<void> {
    const { installation, host } = this.#options
    const confirmed = installation.linked('confirmed')
    if (confirmed === null || installation.linked('current') === confirmed || !installation.has(confirmed)) return
    installation.link('current', confirmed)
    host.log(`back to version ${confirmed}, because nothing is known about the trial of another`)
    await host.restartAgent()
  }

  /** What dpkg installs while an update is under way stays. @returns why the update ends; null: nothing was installed */
  #overtakenBy({ version, from }: UpdateProgress): Fault | null {
    const confirmed = this.#options.installation.linked('confirmed')
    if (confirmed === from || confirmed === version) return null
    return fault('update_overtaken', { version: String(confirmed) })
  }

  #confirm(progress: UpdateProgress): void {
    this.#options.installation.link('confirmed', progress.version)
    this.#options.host.onStep?.('confirmed')
    this.#finish(progress, 'confirmed', null)
    this.#removeOldVersions(progress)
  }

  async #rollBack(known: UpdateProgress, why: Fault): Promise<void> {
    const { installation, host } = this.#options
    const overtaken = this.#overtakenBy(known)
    if (overtaken !== null) {
      await host.restartAgent()
      return this.#finish(known, 'rolled_back', overtaken)
    }
    const progress: UpdateProgress = { ...known, phase: 'rolling_back', reason: why.detail, fault: why }
    this.#write(progress)
    host.onStep?.('rolling back')
    // a package that was installed meanwhile may have removed it
    const target = installation.has(progress.from)
      ? progress.from
      : newestOf(this.#versions().filter((it) => it !== progress.version))
    if (target === null) return this.#finish(progress, 'rolled_back', fault('update_goes_on', { reason: why }))
    installation.link('current', target)
    installation.link('confirmed', target)
    host.onStep?.('switched back')
    host.log(`back to version ${target}: ${why.detail}`)
    await host.restartAgent()
    this.#finish(progress, 'rolled_back', why)
    rmSync(installation.folderOf(progress.version), { recursive: true, force: true })
  }

  /** @param isSigned a request without a right signature may name any version, so it removes no folder */
  #refuse(progress: UpdateProgress, error: unknown, isSigned: boolean): void {
    const isFound = error instanceof ReleaseRefused || error instanceof ArchiveRefused
    const { message: text } = error as Error
    this.#finish(
      progress,
      'refused',
      isFound ? fault('update_release_refused', { text }) : fault('update_not_installable', { text }),
    )
    const { installation } = this.#options
    rmSync(installation.updateFile('archive.tar.zst'), { force: true })
    if (isSigned && progress.version !== progress.from)
      rmSync(installation.folderOf(progress.version), { recursive: true, force: true })
  }

  #finish(progress: UpdateProgress, phase: 'confirmed' | 'rolled_back' | 'refused', why: Fault | null): void {
    const { installation, host } = this.#options
    const { confirmed_sequence } = installation.state()
    installation.writeState({
      confirmed_sequence: phase === 'confirmed' ? Math.max(progress.sequence, confirmed_sequence) : confirmed_sequence,
      progress: { ...progress, phase, at: this.#at(), reason: why?.detail.slice(0, REASON_CHARS) ?? null, fault: why },
    })
    host.onStep?.('finished')
    host.log(`version ${progress.version}: ${phase.replace('_', ' ')}${why === null ? '' : `: ${why.detail}`}`)
  }

  /** First notes that something is under way: after a power cut between the two, nothing else would start the updater. */
  #write(progress: UpdateProgress): void {
    const { installation } = this.#options
    const { confirmed_sequence } = installation.state()
    const pending = installation.updateFile('pending')
    if (!existsSync(pending)) writeDurably(pending, '', { mode: 0o644, owner: null })
    installation.writeState({ confirmed_sequence, progress })
  }

  #requireSpace(bytes: number): void {
    const { installation } = this.#options
    mkdirSync(installation.updateFile('.'), { recursive: true, mode: 0o755 })
    const { bavail, bsize } = statfsSync(installation.root)
    if (bavail * bsize < bytes)
      throw new ArchiveRefused(`${Math.ceil(bytes / 2 ** 20)} MB of free disk space are needed in ${installation.root}`)
  }

  /** Keeps the version before the confirmed one, for people, and newer ones, which dpkg may be about to configure. */
  #removeOldVersions({ version, from }: UpdateProgress): void {
    for (const other of this.#versions())
      if (other !== from && compareVersions(other, version) < 0)
        rmSync(this.#options.installation.folderOf(other), { recursive: true, force: true })
    syncFolder(path.join(this.#options.installation.root, 'versions'))
  }

  #versions(): string[] {
    const { installation } = this.#options
    const names = readdirSync(path.join(installation.root, 'versions'))
    return names.filter((name) => ReleaseVersion.safeParse(name).success && installation.has(name))
  }

  #at(): string {
    return new Date(this.#options.host.now()).toISOString()
  }
}
