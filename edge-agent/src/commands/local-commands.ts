import type { Command } from 'commander'
import type { Overview } from '../local/overview.ts'
import type { AgentConfig } from '../settings/schema.ts'
import { systemClock } from '../support/clock.ts'
import { terminalHeight } from './terminal-height.ts'
import { formatOverview } from './watch.ts'

interface TailOptions {
  config: string
  machine?: string
  metric?: string
  json?: boolean
}

const print = (text: string): void => void process.stdout.write(`${text}\n`)
const REDRAW_MS = 1_000
const [CLEAR, HIDE_CURSOR, SHOW_CURSOR] = ['\x1b[H\x1b[J', '\x1b[?25l', '\x1b[?25h']

/** Commands that ask the running agent. */
export function addLocalCommands(
  command: (name: string, description: string) => Command,
  load: (options: { config: string }) => Promise<AgentConfig>,
  stopSignal: () => AbortSignal,
): void {
  command('page', 'print a link to the local page of the running agent; it works once, for a minute').action(
    async (options: { config: string }) => {
      const { askAgent } = await import('../local/local-client.ts')
      const { dataDir } = await load(options)
      const { url } = await askAgent<{ url: string }>(dataDir, 'POST', '/link')
      print(url)
      const { port } = new URL(url)
      if (process.env.SSH_CONNECTION) print(`From your computer, first: ssh -L ${port}:127.0.0.1:${port} <this box>`)
    },
  )
  command('tail', 'print readings as the running agent collects them')
    .option('--machine <id>', 'only those of this machine')
    .option('--metric <name>', 'only those of this metric')
    .option('--json', 'one JSON object a line')
    .action(async (options: TailOptions) => tail(await load(options), options, stopSignal()))
}

async function tail({ dataDir }: AgentConfig, { machine, metric, json }: TailOptions, stop: AbortSignal): Promise<void> {
  const { followAgent } = await import('../local/local-client.ts')
  for await (const line of followAgent(dataDir, '/readings', stop)) {
    const reading = JSON.parse(line)
    if (reading.left_out) {
      process.stderr.write(`${reading.left_out} readings were left out: this terminal is too slow for them\n`)
      continue
    }
    if ((machine && reading.machine !== machine) || (metric && reading.metric !== metric)) continue
    print(
      json
        ? line
        : `${new Date(reading.timestamp).toISOString()}  ${reading.machine}  ${reading.metric}  ${reading.value} ${reading.unit}`,
    )
  }
  if (!stop.aborted) print('The agent has stopped.')
}

/** Redraws the state of the running agent until `stop` aborts; on no terminal it is printed once. @throws AgentNotReachable */
export async function watch({ dataDir }: AgentConfig, stop: AbortSignal): Promise<void> {
  const { askAgent } = await import('../local/local-client.ts')
  const { stdout } = process
  const look = async () => formatOverview(await askAgent<Overview>(dataDir, 'GET', '/overview'), terminalHeight(stdout))
  if (!stdout.isTTY) return print(await look())
  stdout.write(HIDE_CURSOR)
  try {
    while (!stop.aborted) {
      stdout.write(`${CLEAR}${await look()}\n`)
      await systemClock.sleep(REDRAW_MS, stop)
    }
  } finally {
    stdout.write(SHOW_CURSOR)
  }
}
