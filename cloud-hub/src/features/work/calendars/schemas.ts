import { Id, Instant, pathId, text } from '../../../support/http/shapes.ts'
import { z } from '../../../support/http/z.ts'

export const TokenParams = z.object({ token_id: pathId('calendar token').describe('The token, from `GET /calendar-tokens`.') })

export const TokenCreate = z
  .object({ label: text(200).describe('What subscribes with it, such as a phone; up to 200 characters.') })
  .openapi('CalendarTokenCreate', { example: { label: 'Phone' } })

const shown = {
  id: Id.describe('Identifies the token: the `token_id` of paths.'),
  label: z.string().describe('What subscribes with it.'),
  created_at: Instant.describe('When it was created.'),
  last_used_at: Instant.nullable().describe('When a calendar last read with it, to the minute; null: never.'),
}
export const TokenBody = z.object(shown).openapi('CalendarToken', { example: { label: 'Phone', last_used_at: null } })
export const NewToken = z
  .object({
    ...shown,
    url: z.string().describe('The address to subscribe to. It contains the secret token and is shown only now.'),
  })
  .openapi('NewCalendarToken', {
    example: {
      label: 'Phone',
      last_used_at: null,
      url: 'https://hub.example.com/calendars/hc_SfbuL5pS1Zr0lXz3f9Cq6sG7m2a8d4e1w0vYkTjRnUo.ics',
    },
  })
