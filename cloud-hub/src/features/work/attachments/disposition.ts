import { create } from 'content-disposition'

/** `Content-Disposition` of a download (RFC 6266): a name in ASCII for old clients, and the name in UTF-8. */
export const disposition = (filename: string): string =>
  // Old clients treat an encoded character in the plain name as part of the name.
  create(filename, {
    fallback: filename
      .normalize('NFKD')
      .replace(/[\u0300-\u036f]/g, '')
      .replace(/[^\x20-\x7e]|["%\\]/g, '_'),
  })
