import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

const dir = mkdtempSync(path.join(os.tmpdir(), 'haltless-command-test-'))
const bin = path.join(dir, 'bin')
const said = path.join(dir, 'said')
afterAll(() => rmSync(dir, { recursive: true, force: true }))

/** What would act as another user writes down how it was called. */
const RUNUSER = `#!/bin/sh\n[ "$1" != --help ] || exec echo "  $RUNUSER_HELP"\necho "$HALTLESS_AGENT_COMMAND: $*" >"$SAID"\n`
const ID = '#!/bin/sh\n[ "$1" != -u ] || echo 0\n'

function script(name: string, text: string): void {
  writeFileSync(path.join(bin, name), text)
  chmodSync(path.join(bin, name), 0o755)
}

const isHere = (program: string) => (process.env.PATH ?? '').split(':').some((folder) => existsSync(path.join(folder, program)))
if (!isHere('script')) console.warn('the command of the package is not tested at a terminal: the program script is missing')

describe.skipIf(process.platform !== 'linux' || !isHere('script'))('the command of the package, as root', () => {
  const command = path.join(bin, 'haltless-agent')
  const env = { PATH: `${bin}:${process.env.PATH}`, SAID: said }
  const atTerminal = (line: string, help = '-P, --pty  create a new pseudo-terminal') =>
    execFileSync('script', ['--quiet', '--return', '--command', line, '/dev/null'], {
      env: { ...env, RUNUSER_HELP: help },
      stdio: ['ignore', 'pipe', 'pipe'],
    })

  beforeAll(() => {
    mkdirSync(bin)
    cpSync(path.join(import.meta.dirname, 'haltless-agent.sh'), command)
    chmodSync(command, 0o755)
    script('runuser', RUNUSER)
    script('id', ID)
  })
  beforeEach(() => rmSync(said, { force: true }))

  it('acts as the user of the agent in a terminal of its own where all three streams are terminals', () => {
    atTerminal(`'${command}' status`)
    expect(readFileSync(said, 'utf8')).toMatch(/: --pty -u haltless-agent -- .*agent\.mjs status\n$/)
  })

  it('has none with a runuser that cannot make one', () => {
    atTerminal(`'${command}' status`, '-c, --command')
    expect(readFileSync(said, 'utf8')).toMatch(/: -u haltless-agent -- .*agent\.mjs status\n$/)
  })

  it.each(['</dev/null', '| cat', '2>/dev/null'])('has no terminal of its own with %s', (redirection) => {
    atTerminal(`'${command}' status ${redirection}`)
    expect(readFileSync(said, 'utf8')).toMatch(/: -u haltless-agent -- .*agent\.mjs status\n$/)
  })
})
