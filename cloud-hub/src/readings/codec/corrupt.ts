/** Stored bytes that no encoder of this version writes: truncated, altered, or of a newer format. */
export class CorruptReadings extends Error {
  override name = 'CorruptReadings'
}
