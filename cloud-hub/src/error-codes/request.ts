import type { ErrorEntry } from './entry.ts'

/** Refusals of requests that cannot be read, or whose fields do not hold. */
export const REQUEST_CODES = {
  malformed_json: {
    status: 400,
    meaning: 'The body is not valid JSON in UTF-8.',
    remedy: 'Send the output of a JSON serializer, encoded as UTF-8.',
  },
  malformed_body: {
    status: 400,
    meaning: 'The body is announced as gzip but cannot be decompressed.',
    remedy: 'Compress the body again, or send it without `Content-Encoding`.',
  },
  malformed_multipart: {
    status: 400,
    meaning: 'The body is not a valid multipart form.',
    remedy: 'Let your HTTP client build the form and its boundary.',
  },
  erp_sync_unsupported: {
    status: 400,
    meaning: 'This entity is not exchanged in this direction.',
    remedy: 'Send `work_order`, `production_data` and `downtime` with `outbound`, and `machine` with `inbound`.',
  },
  body_aborted: {
    status: 400,
    meaning: 'The connection ended before the body was complete.',
    remedy: 'Send the request again.',
  },
  duplicate_host: {
    status: 400,
    meaning: 'The request has more than one Host header.',
    remedy: 'Send one Host header; look for a proxy that adds another.',
  },
  payload_too_large: {
    status: 413,
    meaning: 'The body is larger than this operation accepts.',
    remedy: 'Send less in one request; `detail` gives the limit in bytes.',
  },
  form_too_large: {
    status: 413,
    meaning: 'The form of a sign-in page is too large.',
    remedy: 'Reload the page and submit it again.',
  },
  unsupported_media_type: {
    status: 415,
    meaning: 'The operation does not read bodies of this media type or encoding.',
    remedy: 'Send JSON as `application/json`, files as `multipart/form-data`, plain or with `Content-Encoding: gzip`.',
  },
  validation_failed: {
    status: 422,
    meaning: 'At least one field or parameter is missing, mistyped or out of range.',
    remedy: 'Correct the fields that `errors` lists by `path`.',
  },
  idempotency_key_reused: {
    status: 422,
    meaning: 'The `Idempotency-Key` was used for a request with another path or body within the last 24 hours.',
    remedy: 'Choose a new key for each request, such as a random UUID; repeat a request with its own key and the same body.',
  },
  reason_code_cycle: {
    status: 422,
    meaning: 'The parent is the reason code itself or one of its descendants.',
    remedy: 'Choose a parent outside the branch of the code.',
  },
  group_cycle: {
    status: 422,
    meaning: 'The parent is the group itself or one of its descendants.',
    remedy: 'Choose a parent outside the group.',
  },
  file_unreadable: {
    status: 422,
    meaning: 'The uploaded file is no CSV or XLSX table, lacks a required column or has too many rows.',
    remedy: 'Start from `GET /api/v1/machines/import/template`; `detail` says what is wrong with the file.',
  },
  path_not_found: {
    status: 404,
    meaning: 'No operation has this path.',
    remedy: 'Compare the path with `GET /api/v1/openapi.json`.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path exists, but not with this method.',
    remedy: 'Use one of the methods in the `Allow` header.',
  },
  resource_not_found: {
    status: 404,
    meaning: 'The path id cannot name anything.',
    remedy: 'Take the id from the list that shows the resource.',
  },
  range_not_satisfiable: {
    status: 416,
    meaning: 'The range begins after the end of the file.',
    remedy: 'Ask for a range within the size that `Content-Range` of the answer names.',
  },
} as const satisfies Record<string, ErrorEntry>
