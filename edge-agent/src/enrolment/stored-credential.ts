import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentId } from '@haltless/protocol'
import { z } from 'zod'
import { writeDurably } from '../support/durable-file.ts'
import type { ApiKey } from '../support/secret.ts'

/** The credential of an agent is missing or cannot be read; the message says what to do. */
export class CredentialError extends Error {
  override readonly name = 'CredentialError'
}

/** There is none: this agent is not enrolled. */
export class NoCredential extends CredentialError {}

const credentialText = z.string().regex(/^[!-~]{1,200}$/)
/** `credential.json`: the newest credential first, then the one before. */
const CredentialFile = z.object({
  agent_id: AgentId,
  issued_at: z.iso.datetime(),
  credentials: z.union([z.tuple([credentialText]), z.tuple([credentialText, credentialText])]),
})
type CredentialFile = z.infer<typeof CredentialFile>

/** Inside the data directory: only there can the service write. */
export const credentialFile = (dataDir: string): string => join(dataDir, 'credential.json')

/** The content of the file for a first credential. */
export const firstCredential = (agentId: string, credential: string, now: number): string =>
  format({ agent_id: agentId, issued_at: new Date(now).toISOString(), credentials: [credential] })

const format = (content: CredentialFile): string => `${JSON.stringify(content, null, 2)}\n`

/**
 * The credential of an enrolled agent, on disk. A new credential is written beside the one in use before the hub sees it. The hub
 * revokes the other when the new one is first used; which one that is shows by which one it accepts. So the agent has one that works
 * after a crash at any instant. The one before is also kept after that: a hub that is restored from a backup may know only that one.
 */
export class StoredCredential implements ApiKey {
  readonly agentId: string
  readonly #file: string
  #content: CredentialFile
  /** of `credentials` */
  #inUse: 0 | 1 = 0
  /** since the hub last accepted one */
  #refusals = 0

  private constructor(file: string, content: CredentialFile) {
    this.#file = file
    this.#content = content
    this.agentId = content.agent_id
  }

  /** @throws CredentialError */
  static open(dataDir: string): StoredCredential {
    const file = credentialFile(dataDir)
    let text: string
    try {
      text = readFileSync(file, 'utf8')
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        throw new NoCredential(
          'hub.api_key: is missing, and this agent is not enrolled; enrol it with the command `enroll`, or set an API key',
        )
      throw new CredentialError(`the credential of this agent cannot be read: ${(error as Error).message}`)
    }
    const content = CredentialFile.safeParse(parse(text))
    if (!content.success)
      throw new CredentialError(`${file} is damaged; have an admin release this agent in the hub, and enrol it again`)
    return new StoredCredential(file, content.data)
  }

  reveal(): string {
    return this.#content.credentials[this.#inUse] as string
  }

  /** When the newest credential was issued, Unix ms by the clock of this computer. */
  get issuedAt(): number {
    return Date.parse(this.#content.issued_at)
  }

  /** Writes a new credential beside the one in use, and uses it from then on. @throws Error of the file system; then nothing changes */
  replace(credential: string, now: number): void {
    const content: CredentialFile = {
      agent_id: this.agentId,
      issued_at: new Date(now).toISOString(),
      credentials: [credential, this.reveal()],
    }
    writeDurably(this.#file, format(content))
    this.#content = content
    this.#inUse = 0
  }

  /** The hub accepted the credential in use. */
  accepted(): void {
    this.#refusals = 0
  }

  /**
   * The hub refused a credential: the other one is used next.
   * @returns whether to try again at once; false when the hub has refused both
   */
  refused(credential: string): boolean {
    if (credential !== this.reveal()) return true
    if (this.#content.credentials.length < 2) return false
    this.#inUse = this.#inUse === 0 ? 1 : 0
    this.#refusals++
    return this.#refusals % 2 === 1
  }

  toJSON(): string {
    return '***'
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
