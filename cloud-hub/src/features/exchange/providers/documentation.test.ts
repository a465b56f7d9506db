import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { ERP_PROVIDERS } from '../../../db/enums.ts'
import { providerOf } from './index.ts'

const pages = readFileSync(new URL('../../../../docs/erp.md', import.meta.url), 'utf8')

it.each(ERP_PROVIDERS)('the page of %s names every default path, key and field', (provider) => {
  const page = pages.split(/^## /m).find((section) => section.startsWith(provider)) ?? ''
  for (const [entity, { path, key, fields, lines = {} }] of Object.entries(providerOf(provider).defaults)) {
    const row = page.split(/^- /m).find((item) => item.startsWith(`\`${entity}\`: path`)) ?? ''
    const inner = Object.values(lines).flatMap((line) => [line.field, ...Object.values(line.fields)])
    for (const name of [path, key, ...Object.values(fields), ...inner]) expect(row).toContain(`\`${name}\``)
  }
})
