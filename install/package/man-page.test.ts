import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import { program } from '../../edge-agent/src/program.ts'
import { manPage } from './man-page.ts'

type Command = typeof program

const page = manPage({ version: '1.2.3', epoch: 1_790_000_000 })
const plain = page.replaceAll('\\-', '-')
const commandsBelow = (command: Command): Command[] => [command, ...command.commands.flatMap(commandsBelow)]

it('the manual page names every command, argument and option that --help names', () => {
  const commands = program.commands.flatMap(commandsBelow)
  expect(commands.length).toBeGreaterThan(10)
  const terms = commands.flatMap((command) => [
    ...command.options.map(({ flags }) => flags),
    ...command.options.map(({ description }) => description),
    ...command.registeredArguments.map(({ description }) => description),
  ])
  expect([...commands.map((command) => ` ${command.name()} `), ...terms].filter((term) => !plain.includes(term))).toEqual([])
})

it('the manual page has the settings of the package as their default, and every variable', () => {
  expect(plain).toContain('(default: "/etc/haltless-agent/agent.yaml")')
  expect(plain).not.toMatch(/default: "agent\.yaml"/)
  expect(plain).toContain('HALTLESS_HUB_URL')
  expect(plain).toMatch(/^\.TH HALTLESS-AGENT 1 2026-09-21 "haltless-agent 1\.2\.3" Haltless$/m)
})

const groff = (process.env.PATH ?? '').split(':').some((dir) => existsSync(path.join(dir, 'groff')))
if (!groff) console.warn('the manual page is not rendered: groff is missing')
it.skipIf(!groff)('groff renders the manual page without a warning, in lines of a terminal', () => {
  const rendered = execFileSync('sh', ['-c', 'groff -man -Tascii -P-cbou -ww -rLL=100n 2>&1'], { input: page, encoding: 'utf8' })
  expect(rendered).not.toMatch(/warning|error:/)
  expect(rendered).toContain('haltless-agent status')
})
