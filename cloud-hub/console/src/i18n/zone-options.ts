/** Time zones for a select: those that the browser knows, UTC, and those in use, so that no save loses one. */
export const zoneOptions = (...inUse: string[]): (readonly [zone: string, name: string])[] =>
  [...new Set([...inUse, 'UTC', ...Intl.supportedValuesOf('timeZone')])].map((zone) => [zone, zone.replaceAll('_', ' ')] as const)
