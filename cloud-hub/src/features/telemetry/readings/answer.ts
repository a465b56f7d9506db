import { Unavailable } from '../../../support/errors.ts'
import { CSV_TYPE } from '../../../support/http/csv.ts'
import { withTimeout } from '../../../support/timeout.ts'
import { Turns } from '../../../support/turns.ts'
import { type CsvOptions, csvHead, csvWriter } from './csv.ts'
import { jsonPoints } from './json-points.ts'
import type { SeriesChunk } from './read-series.ts'

/** Formats a response in chunks, as UTF-8. */
interface Format {
  contentType: string
  head: string
  /** `last` is the chunk that was written before; null for the first */
  write(chunk: SeriesChunk, last: SeriesChunk | null): Uint8Array[]
  foot(last: SeriesChunk | null): string
}

const json: Format = {
  contentType: 'application/json',
  head: '[',
  write({ series, times, values }, last) {
    const points = jsonPoints(times, values)
    if (series === last?.series) return [Buffer.from(','), points]
    const machine = series.machineId === undefined ? '' : `"machine_id":${JSON.stringify(series.machineId)},`
    const head = `{${machine}"metric_name":${JSON.stringify(series.metric)},"unit":${JSON.stringify(series.unit)},"data_points":[`
    return [Buffer.from(last ? `]},${head}` : head), points]
  },
  foot: (last) => (last ? ']}]' : ']'),
}

function csv(options: CsvOptions): Format {
  const write = csvWriter(options)
  return {
    contentType: CSV_TYPE,
    head: csvHead(options),
    write: (chunk) => [Buffer.from(write(chunk))],
    foot: () => '',
  }
}

/**
 * Formatting a chunk blocks the event loop for a while. Two at once let other requests run in between, and tenants take turns. A response
 * waits for one chunk at a time, so the limit of requests bounds what waits.
 */
const turns = new Turns({
  slots: 2,
  perTenant: 2,
  waitingPerTenant: Number.POSITIVE_INFINITY,
  refusal: () => new Unavailable('hub_busy', 'The client left.'),
})

/**
 * Streams a response as CSV, or as JSON where `csvOptions` is null. It reads a chunk when the client has received the one
 * before. An error after the first byte closes the connection, so that no client mistakes a part for the whole.
 * @param limits `signal` is aborted when the client leaves; a response that waits is then never begun. `limitMs` is the time for making
 * all chunks, without the waits for the client; null: no limit
 * @throws the error of the first chunk; Unavailable when the client left; TimeoutError
 */
export async function streamResponse(
  tenantId: string,
  chunks: AsyncGenerator<SeriesChunk>,
  csvOptions: CsvOptions | null,
  { signal, limitMs }: { signal: AbortSignal; limitMs: number | null },
): Promise<Response> {
  const format = csvOptions ? csv(csvOptions) : json
  const pieces = write(chunks, format)
  let leftMs = limitMs
  const nextPiece = async (until?: AbortSignal) => {
    const making = turns.run(tenantId, () => pieces.next(), until)
    if (leftMs === null) return making
    const startedAt = performance.now()
    try {
      const piece = await withTimeout(Math.max(leftMs, 1), making)
      leftMs -= performance.now() - startedAt
      return piece
    } catch (error) {
      // ends the reading behind a chunk that came too late
      pieces.return().catch(() => {})
      throw error
    }
  }
  const first = await nextPiece(signal)
  let next: typeof first | null = first
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = next ?? (await nextPiece())
        next = null
        if (piece.done) controller.close()
        else controller.enqueue(piece.value)
      },
      cancel: async () => {
        await pieces.return()
      },
    },
    { highWaterMark: 0 },
  )
  const file = csvOptions && { 'content-disposition': `attachment; filename="${csvOptions.fileName}"` }
  return new Response(body, {
    headers: { 'content-type': format.contentType, 'cache-control': 'no-store', vary: 'accept', ...file },
  })
}

/** Small chunks are combined up to this size, so that a response of many series does not need as many packets. */
const PIECE_BYTES = 65_536

async function* write(chunks: AsyncGenerator<SeriesChunk>, format: Format): AsyncGenerator<Uint8Array, void> {
  let last: SeriesChunk | null = null
  let parts: Uint8Array[] = [Buffer.from(format.head)]
  let length = 0
  for await (const chunk of chunks) {
    for (const part of format.write(chunk, last)) {
      parts.push(part)
      length += part.length
    }
    last = chunk
    if (length < PIECE_BYTES) continue
    yield Buffer.concat(parts)
    parts = []
    length = 0
  }
  parts.push(Buffer.from(format.foot(last)))
  yield Buffer.concat(parts)
}
