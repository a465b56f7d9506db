import { program } from '../../edge-agent/src/program.ts'
import { ENVIRONMENT } from '../../edge-agent/src/settings/tree.ts'

type Command = typeof program
type Help = ReturnType<Command['createHelp']>
type Option = Command['options'][number]

const NAME = 'haltless-agent'
const SETTINGS = '/etc/haltless-agent/agent.yaml'
const FILES: readonly (readonly [string, string])[] = [
  [SETTINGS, 'the settings; samples of each setting are in /usr/share/doc/haltless-agent/examples'],
  ['/var/lib/haltless-agent', 'the buffer, the credential and the certificates of this agent'],
  ['/usr/share/doc/haltless-agent/quick-start.md', 'the first steps'],
]

/**
 * The manual page of the package, made of the same data as `--help`. Source: man-pages(7)
 * @param epoch Unix seconds of the commit
 */
export function manPage({ version, epoch }: { version: string; epoch: number }): string {
  const date = new Date(epoch * 1_000).toISOString().slice(0, 10)
  const help = program.createHelp()
  const entries = (pairs: readonly (readonly [string, string])[]) =>
    pairs.flatMap(([term, text]) => ['.TP', `.B ${escaped(term)}`, escaped(text)])
  return [
    `.TH HALTLESS-AGENT 1 ${date} "${NAME} ${version}" Haltless`,
    // no hyphens in addresses and paths
    ...['.nh', '.ad l'],
    ...['.SH NAME', `${escaped(NAME)} \\- ${escaped(program.description().replace(/^The (.*)\.$/, 'the $1'))}`],
    ...['.SH SYNOPSIS', `.B ${escaped(NAME)}`, escaped('COMMAND [options]')],
    ...[
      '.SH DESCRIPTION',
      escaped('As root the command acts as the user haltless-agent, except enroll, which writes the settings.'),
    ],
    '.SH COMMANDS',
    ...program.commands.flatMap((command) => commandLines(command, NAME, help)),
    ...['.SH ENVIRONMENT', ...entries(Object.entries(ENVIRONMENT).map(([name, key]) => [name, `sets ${key.join('.')}`]))],
    ...['.SH FILES', ...entries(FILES)],
    '',
  ].join('\n')
}

/** A command with its arguments and options, then the commands below it. */
function commandLines(command: Command, above: string, help: Help): string[] {
  const name = `${above} ${command.name()}`
  const entry = (term: string, text: string) => ['.TP', `.B ${escaped(term)}`, escaped(text)]
  return [
    `.SS ${escaped(`${name} ${command.usage()}`)}`,
    escaped(`${command.description()}.`),
    ...help.visibleArguments(command).flatMap((it) => entry(help.argumentTerm(it), help.argumentDescription(it))),
    ...command.options.flatMap((it) => entry(help.optionTerm(it), help.optionDescription(asPackaged(it)))),
    ...command.commands.flatMap((child) => commandLines(child, name, help)),
  ]
}

/** The package says where the settings are. */
function asPackaged(option: Option): Option {
  if (option.long !== '--config') return option
  return Object.assign(Object.create(Object.getPrototypeOf(option)), option, { defaultValue: SETTINGS })
}

/** A line of text for roff: no character of it is a request or an escape. */
const escaped = (text: string): string => text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/, '\\&$&')
