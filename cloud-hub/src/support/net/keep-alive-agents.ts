import http from 'node:http'
import https from 'node:https'
import type { Trust } from './trusted-authorities.ts'

/** A connection is reused at most IDLE_MS after its last use and MAX_AGE_MS after its address was checked. */
const IDLE_MS = 4_000
const MAX_AGE_MS = 60_000
/** Agents that are kept; the least recently used one beyond this is closed. */
const MAX_KEPT = 256

export interface KeepAliveAgent {
  agent: http.Agent
  /** an idle connection exists */
  hasFree(): boolean
}

/**
 * Keep-alive agents by owner, origin and trusted authorities. Owners never share a connection, so no call relies on an address check
 * or a certificate that another owner accepted.
 */
export function keepAliveAgents() {
  const agents = new Map<string, KeepAliveAgent & { timer: NodeJS.Timeout }>()

  function drop(name: string): void {
    const kept = agents.get(name)
    if (!kept) return
    clearTimeout(kept.timer)
    agents.delete(name)
    // A connection in use ends with its call.
    for (const free of Object.values(kept.agent.freeSockets)) for (const socket of free ?? []) socket.destroy()
    kept.agent.keepSocketAlive = () => false
  }

  return {
    of(owner: string, { protocol, origin }: URL, trust: Trust): KeepAliveAgent {
      const name = `${owner} ${origin} ${trust.id}`
      let kept = agents.get(name)
      if (kept) agents.delete(name)
      else kept = { ...makeAgent(protocol === 'https:', trust), timer: setTimeout(() => drop(name), 2 * IDLE_MS).unref() }
      kept.timer.refresh()
      agents.set(name, kept)
      if (agents.size > MAX_KEPT) drop(agents.keys().next().value as string)
      return kept
    },
    close() {
      for (const name of [...agents.keys()]) drop(name)
    },
  }
}

function makeAgent(isSecure: boolean, { options: trusted }: Trust): KeepAliveAgent {
  const options = { keepAlive: true, maxFreeSockets: 1, timeout: IDLE_MS }
  // Options of an agent override those of a request.
  const agent = isSecure ? new https.Agent({ ...options, ...trusted }) : new http.Agent(options)
  const since = new WeakMap<object, number>()
  const isYoung = (socket: object) => performance.now() - (since.get(socket) ?? 0) < MAX_AGE_MS
  const keep = agent.keepSocketAlive
  agent.keepSocketAlive = (socket) => {
    if (!since.has(socket)) since.set(socket, performance.now())
    return isYoung(socket) && keep.call(agent, socket)
  }
  return {
    agent,
    hasFree() {
      const free = Object.values(agent.freeSockets).flatMap((sockets) => sockets ?? [])
      for (const socket of free) if (!isYoung(socket)) socket.destroy()
      return free.some((socket) => !socket.destroyed)
    },
  }
}
