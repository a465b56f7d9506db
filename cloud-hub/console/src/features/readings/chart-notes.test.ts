import { expect, it } from 'vitest'
import { notesAt } from './chart-notes.ts'

const notes = [
  { from: 100, to: 100, text: 'instant' },
  { from: 200, to: 300, text: 'range' },
]

it.each([
  [94.9, []],
  [95, ['instant']],
  [105, ['instant']],
  [105.1, []],
  [195, ['range']],
  [250, ['range']],
  [305, ['range']],
  [305.1, []],
])('at %d seconds, with a tolerance of 5, the notes are %j', (at, texts) => {
  expect(notesAt(notes, at, 5).map(({ text }) => text)).toEqual(texts)
})
