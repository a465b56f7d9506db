import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { shellWord } from './shell-word.ts'

it.each(['/home/ada/plant data', "it's", '$HOME `x` "y"', '', 'a\\b', '~/x', 'ü'])(
  'the shell reads %j back as one word',
  (text) => {
    expect(execFileSync('sh', ['-c', `printf '[%s]' ${shellWord(text)}`], { encoding: 'utf8' })).toBe(`[${text}]`)
  },
)

it('a plain path stays as it is', () => expect(shellWord('/var/lib/haltless/agent.yaml')).toBe('/var/lib/haltless/agent.yaml'))
