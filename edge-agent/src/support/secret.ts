import { inspect } from 'node:util'

/** The key that the hub is called with. That of an enrolled agent changes while the agent runs. */
export interface ApiKey {
  reveal(): string
}

/** A password or key. It prints as `***` in logs, JSON and templates; only {@link reveal} gives it away. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return '***'
  }

  toJSON(): string {
    return '***'
  }

  [inspect.custom](): string {
    return '***'
  }
}
