import { expect, it } from 'vitest'
import { checkChecksums } from './doctor-checksums.ts'

it('doctor reports a cluster without data checksums, and how to get them', () => {
  expect(checkChecksums(true, true)).toMatchObject({ check: 'data checksums', state: 'ok' })
  expect(checkChecksums(false, true)).toMatchObject({ state: 'warn', detail: expect.stringContaining('empty DATA_DIR') })
  expect(checkChecksums(false, false)).toMatchObject({ state: 'warn', detail: expect.stringContaining('pg_checksums --enable') })
})
