import { execFile } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { program as hub } from '../../cloud-hub/src/program.ts'
import { program as agent } from '../../edge-agent/src/program.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { SIGNING } from '../package/sign.ts'

type Command = typeof hub

const root = path.resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

/** An empty folder in which the programs run, so that a program that does its work would leave files in it. */
let dir: string
beforeAll(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'haltless-help-'))
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** The arguments of a command and of all commands below it. */
const pathsOf = (command: Command, above: string[] = []): string[][] => [
  above,
  ...command.commands.flatMap((child) => pathsOf(child, [...above, child.name()])),
]

/** Parses `ARGS --help` in this process. @returns what it prints, and how it would end the process */
async function helpOf(program: Command, args: string[]): Promise<{ text: string; exitCode: number }> {
  let text = ''
  const configure = (command: Command): void => {
    command.exitOverride().configureOutput({
      writeOut: (part) => {
        text += part
      },
    })
    command.commands.forEach(configure)
  }
  configure(program)
  const error = await program.parseAsync([...args, '--help'], { from: 'user' }).catch((thrown: unknown) => thrown)
  if (!(error instanceof Error && 'exitCode' in error)) throw new Error(`${args.join(' ')} --help went on: ${error}`)
  return { text, exitCode: Number(error.exitCode) }
}

/** The program in a script of package.json, without tools of others such as vitest; undefined if it has none. */
const programOf = (script: string): string | undefined => /nodew (?:-- sh )?(\S+\.(?:ts|sh))/.exec(script)?.[1]

it.each([
  ['hub', hub],
  ['agent', agent],
])('every command of %s prints its usage', async (_, program) => {
  const commands = pathsOf(program)
  expect(commands.length).toBeGreaterThan(10)
  for (const args of commands) {
    const { text, exitCode } = await helpOf(program, args)
    expect({ text, exitCode }).toEqual({
      text: expect.stringContaining(`Usage: ${[program.name(), ...args].join(' ')}`),
      exitCode: 0,
    })
  }
})

it('every program of package.json, of install and of the signing commands prints its usage, and does nothing else', async () => {
  const scripts = Object.entries(packageJson.scripts).flatMap(([name, script]) => {
    const file = programOf(script)
    return file ? [[name, 'install/nodew', ...(file.endsWith('.sh') ? ['--', 'sh'] : []), path.join(root, file)]] : []
  })
  expect(scripts.map(([name]) => name)).toEqual(expect.arrayContaining(['start', 'check', 'hub', 'bench', 'screenshots']))
  const shells = globSync('install/**/*.sh', { cwd: root, exclude: ['install/package/haltless-agent.sh'] })
  const programs = [
    ...scripts,
    ...shells.map((file) => [file, 'install/nodew', '--', 'sh', path.join(root, file)]),
    ...Object.keys(SIGNING).map((name) => [name, 'install/nodew', path.join(root, 'install/package/main.ts'), name]),
    ...['cloud-hub/src/demo/add-plant.ts', 'edge-agent/src/updates/updater-main.ts'].map((file) => [
      file,
      'install/nodew',
      path.join(root, file),
    ]),
  ] as [string, string, ...string[]][]
  const faults: string[] = []
  for (const [name, file, ...args] of programs) {
    const command = [path.join(root, file), ...args, '--help'] as const
    const { stdout, stderr } = await run(command[0], command.slice(1), { cwd: dir, timeout: 120_000 }).catch((error) => error)
    if (!/^usage: /i.test(stdout ?? '') || stderr !== '') faults.push(`${name}: ${stdout ?? ''}${stderr ?? ''}`.slice(0, 500))
  }
  expect(faults).toEqual([])
  expect(readdirSync(dir)).toEqual([])
})
