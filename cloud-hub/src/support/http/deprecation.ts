import type { Deprecation } from './route.ts'

/** What answers of a deprecated operation say. Source: RFC 9745, 2.1; RFC 8594, 3; RFC 5829, 3.3 (`successor-version`) */
export const deprecationHeaders = ({ since, sunset, instead }: Deprecation): Record<string, string> => ({
  deprecation: `@${Math.floor(since.getTime() / 1000)}`,
  sunset: sunset.toUTCString(),
  link: `</api/v1${instead}>; rel="successor-version"`,
})

const day = (instant: Date) => instant.toISOString().slice(0, 10)

/** The same in the description of the operation. */
export const deprecationNote = ({ since, sunset, instead }: Deprecation): string =>
  `**Deprecated** since ${day(since)}: use \`${instead}\`. It ends on ${day(sunset)}.`
