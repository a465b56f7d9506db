/** A request to /api/v1 of a hub. @returns the body of the answer */
export async function call(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
): Promise<any> {
  const answer = await fetch(`${url}/api/v1/${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path} answers ${answer.status}: ${text}`)
  return text ? JSON.parse(text) : null
}

/** Repeats until there is something. */
export async function soon<T>(find: () => Promise<T | undefined | null>, limitMs = 60_000): Promise<T> {
  for (const end = Date.now() + limitMs; ; ) {
    const found = await find()
    if (found) return found
    if (Date.now() > end) throw new Error('waited in vain')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}
