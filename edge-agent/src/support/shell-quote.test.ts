import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { shellQuote } from './shell-quote.ts'

it.each(['/home/ada/plant data', "it's", '$HOME `x` "y"', '', 'a\\b', '~/x', 'ü'])(
  'the shell reads %j back as one word',
  (text) => {
    expect(execFileSync('sh', ['-c', `printf '[%s]' ${shellQuote(text)}`], { encoding: 'utf8' })).toBe(`[${text}]`)
  },
)

it('a plain path stays as it is', () => expect(shellQuote('/var/lib/haltless/agent.yaml')).toBe('/var/lib/haltless/agent.yaml'))
