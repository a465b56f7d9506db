/** The time zone of this browser; null where it names none, such as `Etc/Unknown`, or one that it cannot compute with. */
export function browserZone(): string | null {
  const zone: string | undefined = Intl.DateTimeFormat().resolvedOptions().timeZone
  if (!zone || /^Etc\/Unknown$/i.test(zone)) return null
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return zone
  } catch {
    return null
  }
}
