import { MODBUS_TABLES, SECURITY_MODES, SECURITY_POLICIES } from '@haltless/protocol/connection-choices'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { BrowseOptions, ProbeOptions } from './device-commands.ts'
import { PASSWORD_VARIABLE } from './password-variable.ts'

/** Commands that read devices beyond the settings: nothing of this happens unless a person runs them. */
export function addDeviceCommands(program: Command, stopSignal: () => AbortSignal): void {
  const settings = [
    '-c, --config <file>',
    'the settings of the agent',
    process.env.HALTLESS_AGENT_CONFIG || 'agent.yaml',
  ] as const
  program
    .command('browse')
    .description('list the variables of an OPC UA server, and add them to the settings')
    .argument('<server>', 'a collector by its name, or an address such as opc.tcp://10.20.0.5:4840')
    .option(...settings)
    .option('--search <words>', 'only variables with all these words in their path or node id')
    .option('--under <node>', 'begin at this node, such as nsu=urn:acme:press;s=Press (default: the folder Objects)')
    .option('--limit <count>', 'variables a page', pageSize, 100)
    .option('--page <number>', 'the page, from 1', between(1, 100_000), 1)
    .addOption(new Option('--security <mode>', 'how to connect to an address (default: None)').choices([...SECURITY_MODES]))
    .addOption(new Option('--policy <policy>', 'with it (default: Basic256Sha256)').choices([...SECURITY_POLICIES]))
    .option('--user <name>', `log in as this user; the password is asked for, or in ${PASSWORD_VARIABLE}`)
    .option('--add <nodes...>', 'add these nodes to the settings, or `all` that the page lists')
    .option('--machine <id>', 'machine_identifier of what is added (default: that of the collector)')
    .option('--name <name>', 'name of the collector that is added for an address (default: its host)')
    .option('--json', 'for programs')
    .action(async (server: string, options: BrowseOptions) => {
      const { browse } = await import('./device-commands.ts')
      await browse(server, options, stopSignal())
    })
  program
    .command('probe')
    .description('show what a Modbus register holds, in every type and byte order')
    .argument('<device>', 'a collector by its name, or an address such as 10.20.0.17:502')
    .argument('[address]', 'zero-based: 40001 in a manual is holding address 0', between(0, 65_535))
    .option(...settings)
    .option('--unit <id>', 'unit behind the address (default: that of the collector, or 1)', between(0, 255))
    .addOption(new Option('--table <table>', 'what to read').choices([...MODBUS_TABLES]).default('holding'))
    .addOption(
      new Option('--framing <framing>', 'rtu: frames of Modbus RTU over TCP, of a serial gateway').choices(['tcp', 'rtu']),
    )
    .option('--answers-as <id>', 'the unit that a device answers as, where that is another one', between(0, 255))
    .option('--timeout <ms>', 'how long to wait for an answer (default: 2000, or that of the collector)', between(50, 60_000))
    .option('--scan-units <range>', 'instead, ask each unit of a range such as 1-10 whether it is there', unitRange)
    .option('--json', 'for programs')
    .action(async (device: string, address: number | undefined, options: ProbeOptions) => {
      const { probeDevice } = await import('./device-commands.ts')
      await probeDevice(device, address, options, stopSignal())
    })
}

/** A page is read and printed as a whole. */
const PAGE_MAX = 10_000

function pageSize(text: string): number {
  if (/^\d+$/.test(text) && Number(text) > PAGE_MAX)
    throw new InvalidArgumentError(
      'A page has at most 10,000 variables: narrow them with --under or --search, or go on with --page.',
    )
  return between(1, PAGE_MAX)(text)
}

const between = (least: number, most: number) => (text: string) => {
  const value = Number(text)
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`)
  return value
}

function unitRange(text: string): number[] {
  const [, first, last = first] = /^(\d{1,3})(?:-(\d{1,3}))?$/.exec(text) ?? []
  const [from, to] = [Number(first), Number(last)]
  if (first === undefined || from > to || to > 255)
    throw new InvalidArgumentError('It must be a range such as 1-10, within 0 to 255.')
  return Array.from({ length: to - from + 1 }, (_, i) => from + i)
}
