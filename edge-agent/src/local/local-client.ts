import { request } from 'node:http'
import { socketFile } from './local-server.ts'

/** The running agent cannot be asked; the message says what to do. */
export class AgentNotReachable extends Error {
  override readonly name = 'AgentNotReachable'
}

const ANSWER_MS = 5_000

/** Asks the agent that runs on this data directory. @throws AgentNotReachable, or Error with the agent's words */
export async function askAgent<T>(dataDir: string, method: 'GET' | 'POST', path: string): Promise<T> {
  let text = ''
  const { status, parts } = await open(dataDir, method, path, AbortSignal.timeout(ANSWER_MS))
  for await (const part of parts) text += part
  const body = JSON.parse(text)
  if (status !== 200) throw new Error(body.detail)
  return body
}

/** The lines of an answer that has no end. @throws AgentNotReachable */
export async function* followAgent(dataDir: string, path: string, signal: AbortSignal): AsyncGenerator<string> {
  const { parts } = await open(dataDir, 'GET', path, signal)
  let rest = ''
  try {
    for await (const part of parts) {
      const lines = (rest + part).split('\n')
      rest = lines.pop() as string
      yield* lines
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

function open(dataDir: string, method: string, path: string, signal: AbortSignal) {
  return new Promise<{ status: number; parts: AsyncIterable<string> }>((resolve, reject) => {
    const asking = request({ socketPath: socketFile(dataDir), method, path, signal, agent: false }, (answer) =>
      resolve({ status: answer.statusCode ?? 0, parts: answer.setEncoding('utf8') as AsyncIterable<string> }),
    )
    asking.once('error', (error: NodeJS.ErrnoException) => reject(new AgentNotReachable(textFor(error, dataDir))))
    asking.end()
  })
}

function textFor({ code, message }: NodeJS.ErrnoException, dataDir: string): string {
  if (code === 'ENOENT' || code === 'ECONNREFUSED') return `No agent runs on ${dataDir}.`
  if (code === 'EACCES')
    return `${socketFile(dataDir)} belongs to another user: run this command as the user of the agent, or as root.`
  return `The agent does not answer: ${message}`
}
