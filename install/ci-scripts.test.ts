import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, it } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }

it('.ci/run and .ci/scripts run every script of package.json', () => {
  const read = (file: string) => readFileSync(path.resolve(import.meta.dirname, '../.ci', file), 'utf8')
  const lines = `${read('run')}${read('scripts')}`.replace(/for program in (.*); do/, (_, names: string) =>
    names.replace(/\S+/g, '\nnpm run $& \n'),
  )
  const isRun = (name: string) =>
    new RegExp(`npm (run (-s )?)?${name}(?![\\w:])`, 'm').test(lines.replace(/^\s*(step|#).*$/gm, ''))
  expect(Object.keys(packageJson.scripts).filter((name) => !isRun(name))).toEqual([])
})
