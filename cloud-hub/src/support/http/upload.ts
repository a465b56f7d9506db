import { BadRequest, Unprocessable, UnsupportedMediaType } from '../errors.ts'
import { readBytes } from './body.ts'

/** One file of a multipart form. */
export interface UploadedFile {
  /** as the client named it, without folders */
  name: string
  /** as the client claims */
  contentType: string
  bytes: Buffer
}

/** What may stand around the file in a form. */
const FORM_OVERHEAD = 65_536

/**
 * Reads the file of a multipart/form-data body. `maxBytes` is of the file; nothing larger is held in memory.
 * @throws UnsupportedMediaType, PayloadTooLarge, BadRequest for a malformed form, Unprocessable without the part
 */
export async function readUpload(request: Request, field: string, maxBytes: number): Promise<UploadedFile> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) throw new UnsupportedMediaType('Send the file as a part of multipart/form-data.')
  const body = await readBytes(request, maxBytes + FORM_OVERHEAD)
  const form = await new Response(body as Uint8Array<ArrayBuffer>, { headers: { 'content-type': type } }).formData().catch(() => {
    throw new BadRequest('malformed_multipart', 'The body is not a valid multipart form.')
  })
  const part = form.get(field)
  if (!(part instanceof File)) throw new Unprocessable([{ path: `body.${field}`, message: 'is required, as a file' }])
  if (part.size > maxBytes) throw new Unprocessable([{ path: `body.${field}`, message: `may have at most ${maxBytes} bytes` }])
  return {
    name: part.name.replace(/^.*[\\/]/, '').slice(0, 255),
    contentType: part.type,
    bytes: Buffer.from(await part.arrayBuffer()),
  }
}
