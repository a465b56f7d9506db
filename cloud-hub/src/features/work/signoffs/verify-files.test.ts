import { expect, it } from 'vitest'
import { type Files, fileFault } from './verify-files.ts'

const attachment = (filename: string) => ({ filename, tenantId: '', storageKey: filename, sizeBytes: 1, sha256: '' })

/** What is found of files whose name begins with their state. */
const foundOf = (...names: string[]) => {
  const checker = {
    check: async (_store: unknown, { storageKey }: { storageKey: string }) => ({ state: storageKey.split('-')[0] }),
  }
  return fileFault(names.map(attachment), { store: {}, checker } as unknown as Files)
}

it.each([
  [['intact-a'], null],
  [['missing-a'], { code: 'signoff_file_missing', params: { file: 'missing-a' } }],
  [['intact-a', 'changed-b'], { code: 'signoff_file_changed', params: { file: 'changed-b' } }],
  [['missing-a', 'missing-b'], { code: 'signoff_files_missing', params: { files: 'missing-a, missing-b' } }],
  [
    ['missing-a', 'changed-b'],
    { code: 'signoff_files_missing_and_changed', params: { missing: 'missing-a', changed: 'changed-b' } },
  ],
  [
    Array.from({ length: 7 }, (_, i) => `changed-${i}`),
    { code: 'signoff_files_changed', params: { files: 'changed-0, changed-1, changed-2, changed-3, changed-4 (+2)' } },
  ],
])('of the signed files %j it says what is wrong with which', async (names, fault) => {
  const found = await foundOf(...names)
  if (fault === null) expect(found).toBeNull()
  else expect(found).toMatchObject({ fault })
})

it('the sentence says it of each file, and how many more there are', async () => {
  expect((await foundOf('missing-a', 'changed-b'))?.detail).toBe(
    'File: missing-a is missing from the storage; changed-b does not have the bytes that were signed.',
  )
  expect((await foundOf(...Array.from({ length: 6 }, () => 'missing-a')))?.detail).toMatch(
    /missing from the storage and 1 more\.$/,
  )
})
