import { deflateRawSync, inflateRawSync } from 'node:zlib'

/** Raw deflate with a small window: batches are a few kilobytes, and a large one costs more to set up than to fill. */
export const deflate = (bytes: Uint8Array): Uint8Array => deflateRawSync(bytes, { windowBits: 12, memLevel: 5 })

/** The reverse, as the codec asks for it: throws beyond `maxBytes` and when bytes follow the end of the stream. */
export function inflate(bytes: Uint8Array, maxBytes: number): Uint8Array {
  // The types do not know `info`; Node documents it with zlib's options.
  const { buffer, engine } = inflateRawSync(bytes, { maxOutputLength: Math.max(1, maxBytes), info: true }) as unknown as {
    buffer: Uint8Array
    engine: { bytesWritten: number }
  }
  if (engine.bytesWritten !== bytes.length) throw new Error('bytes follow the end of the deflate stream')
  return buffer
}
