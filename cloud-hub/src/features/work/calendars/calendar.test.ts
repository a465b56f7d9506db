import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { type CalendarEvent, writeCalendar } from './calendar.ts'

it('a calendar of many long events lets other work run while it is written', async () => {
  const at = new Date()
  const events = Array.from(
    { length: 500 },
    (): CalendarEvent => ({
      id: randomUUID(),
      title: 'Oil',
      description: 'x'.repeat(1_000),
      start: at,
      end: new Date(at.getTime() + 1),
      status: 'scheduled',
      sequence: 0,
      createdAt: at,
      updatedAt: at,
      machine: 'Press',
      location: null,
    }),
  )
  let turns = 0
  let isWriting = true
  const count = () => {
    turns++
    if (isWriting) setImmediate(count)
  }
  setImmediate(count)
  const text = await writeCalendar('Maintenance', events, 'http://hub.test')
  isWriting = false
  expect(turns).toBeGreaterThanOrEqual(9)
  expect(text.match(/\r\nBEGIN:VEVENT\r\n/g)).toHaveLength(500)
  expect(text.match(/BEGIN:VCALENDAR/g)).toHaveLength(1)
  expect(text.endsWith('\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n')).toBe(true)
})
