import { BadRequest, fieldError, Unprocessable, UnsupportedMediaType } from '../errors.ts'
import { readBytes } from './body.ts'

/** One file of a multipart form. */
export interface UploadedFile {
  /** the client's file name, without folders */
  name: string
  /** the client's value, not verified */
  contentType: string
  bytes: Buffer
}

/** Allowance for the form around the file. */
export const FORM_OVERHEAD = 65_536

/** The refusal of a form with more than one file, of which all but one would be lost. */
export const severalFiles = (field: string) => new Unprocessable([fieldError(`body.${field}`, 'single_file_only')])

/**
 * Reads the file of a multipart/form-data body. It buffers at most `maxBytes` of the file.
 * @throws UnsupportedMediaType, PayloadTooLarge, BadRequest for a malformed form, Unprocessable when the part is missing
 * or not the only file
 */
export async function readUpload(request: Request, field: string, maxBytes: number): Promise<UploadedFile> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*;/i.test(type)) throw new UnsupportedMediaType('Send the file as a part of multipart/form-data.')
  const body = await readBytes(request, maxBytes + FORM_OVERHEAD)
  const form = await new Response(body as Uint8Array<ArrayBuffer>, { headers: { 'content-type': type } }).formData().catch(() => {
    throw new BadRequest('malformed_multipart', 'The body is not a valid multipart form.')
  })
  if ([...form.values()].filter((value) => value instanceof File).length > 1) throw severalFiles(field)
  const part = form.get(field)
  if (!(part instanceof File)) throw new Unprocessable([fieldError(`body.${field}`, 'required', {}, 'is required, as a file')])
  if (part.size > maxBytes) throw new Unprocessable([fieldError(`body.${field}`, 'max_bytes', { bytes: maxBytes })])
  return {
    name: part.name.replace(/^.*[\\/]/, '').slice(0, 255),
    contentType: part.type,
    bytes: Buffer.from(await part.arrayBuffer()),
  }
}
