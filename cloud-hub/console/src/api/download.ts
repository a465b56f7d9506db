import { authorizedFetch } from './client.ts'
import { ApiError, type Problem } from './error.ts'

/** Saves the answer of a GET operation as a file: a link cannot send the access token. @throws ApiError */
export async function download(path: string, filename: string): Promise<void> {
  saveFile(await fetchFile(path), filename)
}

/** @throws ApiError */
export async function fetchFile(path: string, accept = '*/*'): Promise<Blob> {
  const response = await authorizedFetch(new Request(`/api/v1${path}`, { headers: { accept } })).catch(() => null)
  if (!response) throw new ApiError(null)
  if (!response.ok) throw new ApiError((await response.json().catch(() => null)) as Problem | null)
  return response.blob()
}

export function saveFile(blob: Blob, filename: string): void {
  const url = URL.createObjectURL(blob)
  const link = document.createElement('a')
  link.href = url
  link.download = filename
  link.click()
  setTimeout(() => URL.revokeObjectURL(url), 10_000)
}
