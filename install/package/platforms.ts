/** A platform that the agent is packaged for. */
export interface Platform {
  /** Debian's name */
  debian: string
  /** Node's name: of `node-linux-*` and of native add-ons */
  node: string
}

export const PLATFORMS: readonly Platform[] = [
  { debian: 'amd64', node: 'x64' },
  { debian: 'arm64', node: 'arm64' },
]
