import { registerHooks } from 'node:module'

/**
 * postgres 3.4.9 writes small messages in a later turn of the event loop and forgets that the connection may be gone by then. A database
 * that is killed or restarted then ends this process (`Cannot read properties of null (reading 'write')`), or leaves a connection of the
 * pool that never sends again, on which requests hang. Each pair below is a piece of its `connection.js` and what it has to be.
 * Source: issues 1066, 1154 and 1208 of porsager/postgres, open in 3.4.9; remove this file when they are closed
 */
const REPAIRS: readonly [broken: string, mended: string][] = [
  // a write whose connection is gone fails its statements, and not the one for which a new connection is being made
  [
    'function nextWrite(fn) {\n',
    `function nextWrite(fn) {
    if (!socket) {
      const gone = Errors.connection('CONNECTION_CLOSED', options, socket)
      query && queryError(query, gone)
      while (sent.length)
        queryError(sent.shift(), gone)
      query = chunk = nextWriteTimer = null
      return false
    }
`,
  ],
  // what was not sent is not kept for the next connection, and does not keep that from sending
  [
    'clearImmediate(nextWriteTimer)\n    if (socket)',
    'clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n    if (socket)',
  ],
  [
    "clearImmediate(nextWriteTimer)\n    socket.removeListener('data'",
    "clearImmediate(nextWriteTimer)\n    chunk = nextWriteTimer = null\n    socket.removeListener('data'",
  ],
  // statements given between an error and the end of the connection, such as a rollback, fail as well instead of waiting for ever
  ['!hadError && (query || sent.length) && error(', 'if (query || sent.length) error('],
]

/** @throws Error when the driver is another one than these repairs were made for */
export function mend(source: string): string {
  return REPAIRS.reduce((text, [broken, mended]) => {
    if (text.split(broken).length !== 2) throw new Error('the repairs in db/mended-driver.ts do not fit this version of postgres')
    return text.replace(broken, () => mended)
  }, source)
}

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    if (!url.endsWith('/node_modules/postgres/src/connection.js')) return loaded
    return { ...loaded, source: mend(Buffer.from(loaded.source as Uint8Array).toString('utf8')) }
  },
})
