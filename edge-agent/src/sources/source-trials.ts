import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Fault, FaultShape } from '@haltless/protocol'
import { z } from 'zod'
import { writeDurably } from '../support/durable-file.ts'

/**
 * Changed settings of a source that delivered before: they are on trial until they deliver, and given up when they do not.
 */
const Trial = z.object({
  state: z.enum(['trying', 'reverted']),
  /** the settings on trial, or those that were given up; as they came, in JSON */
  given: z.string(),
  /** those before, with which the source delivered */
  previous: z.string(),
  /** why they were given up; null: they were not, or an agent from before wrote it without a code */
  fault: FaultShape.nullable().default(null),
})
type Trial = z.infer<typeof Trial>
const Trials = z.record(z.string(), Trial)

const fileOf = (dataDir: string): string => join(dataDir, 'source-trials.json')

/** Shorter trials would end before a server has answered after a restart. */
const TRIAL_MS = 300_000
const POLLS = 3

/** How long settings may take to deliver, ms. */
export const trialMs = (pollIntervalSeconds: number): number => Math.max(TRIAL_MS, pollIntervalSeconds * 1_000 * POLLS)

/** Which settings of pushed sources are on trial or were given up. Kept on disk, with their passwords: for the agent's user only. */
export class SourceTrials {
  readonly #dataDir: string
  readonly #trials: Map<string, Trial>

  /** A file that cannot be read counts as none: then the settings that came last are used. */
  constructor(dataDir: string) {
    this.#dataDir = dataDir
    this.#trials = new Map(Object.entries(readTrials(fileOf(dataDir))))
  }

  /** What a source should run with. @param given the settings from the hub */
  settingsFor(id: string, given: string): string {
    const trial = this.#trials.get(id)
    return trial?.state === 'reverted' && trial.given === given ? trial.previous : given
  }

  /** Why a source runs with its previous settings; null: it does not. */
  revertedBecause(id: string): Fault | null {
    const trial = this.#trials.get(id)
    return trial?.state === 'reverted' ? trial.fault : null
  }

  isTrying(id: string, given: string): boolean {
    const trial = this.#trials.get(id)
    return trial?.state === 'trying' && trial.given === given
  }

  /** @throws Error when the disk refuses */
  begin(id: string, given: string, previous: string): void {
    const known = this.#trials.get(id)
    // settings that never delivered are nothing to go back to
    const delivered = known?.state === 'trying' ? known.previous : previous
    this.#trials.set(id, { state: 'trying', given, previous: delivered, fault: null })
    this.#write()
  }

  /** The settings on trial are given up. @returns those to go back to. @throws Error when the disk refuses */
  revert(id: string, found: Fault): string {
    const trial = this.#trials.get(id) as Trial
    this.#trials.set(id, { ...trial, state: 'reverted', fault: found })
    this.#write()
    return trial.previous
  }

  /** They delivered, or the source is gone. @throws Error when the disk refuses */
  end(id: string): void {
    if (this.#trials.delete(id)) this.#write()
  }

  /** Forgets sources that are not in a set, and settings that were given up where others came. */
  keep(wanted: ReadonlyMap<string, string>): void {
    for (const [id, { state, given }] of [...this.#trials])
      if (!wanted.has(id) || (state === 'reverted' && wanted.get(id) !== given)) this.end(id)
  }

  #write(): void {
    if (this.#trials.size === 0) rmSync(fileOf(this.#dataDir), { force: true })
    else writeDurably(fileOf(this.#dataDir), JSON.stringify(Object.fromEntries(this.#trials)))
  }
}

function readTrials(file: string): z.infer<typeof Trials> {
  try {
    return Trials.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    return {}
  }
}
