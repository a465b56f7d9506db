import path from 'node:path'

const DETECTION_MS = 5_000
/** Formats without a signature, which the name of the file tells. */
const TEXT_TYPES: Record<string, string> = { '.txt': 'text/plain', '.csv': 'text/csv', '.json': 'application/json' }

/** The media type that the bytes of a file show. The type that a client states is not used. */
export async function detectContentType({ path: file, name }: { path: string; name: string }): Promise<string> {
  const { fileTypeFromFile } = await import('file-type')
  // A damaged file of a known format can fail the detection; it is stored like an unknown one.
  const found = await fileTypeFromFile(file, { signal: AbortSignal.timeout(DETECTION_MS) }).catch(() => undefined)
  return found?.mime ?? TEXT_TYPES[path.extname(name).toLowerCase()] ?? 'application/octet-stream'
}
