/** A client that stops reading keeps one piece in memory instead of the file. */
const PIECE_BYTES = 65_536

/** A body that is produced as the client reads it. */
export function streamPieces(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const end = Math.min(at + PIECE_BYTES, bytes.byteLength)
        controller.enqueue(bytes.subarray(at, end))
        at = end
        if (at === bytes.byteLength) controller.close()
      },
    },
    { highWaterMark: 0 },
  )
}
