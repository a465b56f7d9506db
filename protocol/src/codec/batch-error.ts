/** Why bytes are not a batch, or a batch cannot become bytes. The codes are part of the contract: they stand in receipts. */
export const BATCH_ERROR_CODES = [
  /** the bytes end too early */
  'truncated',
  /** bytes are left over after the end */
  'trailing_bytes',
  /** the first byte is not that of a batch */
  'not_a_batch',
  'unknown_version',
  'unknown_compression',
  /** the batch refers to a dictionary that the hub does not have; the sender announces it again */
  'unknown_dictionary',
  /** more readings, series, text or bytes than a batch may hold */
  'too_large',
  /** the compressed body cannot be read, or the checksum differs */
  'damaged',
  /** the body contradicts itself: a count, an index, a mode */
  'malformed',
  /** text that is no UTF-8, or holds NUL or a lone surrogate */
  'bad_text',
  /** a value that is not finite, a timestamp that is no whole number of milliseconds */
  'bad_number',
] as const
export type BatchErrorCode = (typeof BATCH_ERROR_CODES)[number]

/** The only error that {@link encodeBatch} and {@link decodeBatch} throw for their input. */
export class BatchError extends Error {
  override readonly name = 'BatchError'
  readonly code: BatchErrorCode
  /** the id that the header names, when it could be read: enough to refuse the batch by id */
  readonly batchId: string | null

  constructor(code: BatchErrorCode, message: string, options: { batchId?: string | null; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause })
    this.code = code
    this.batchId = options.batchId ?? null
  }
}
