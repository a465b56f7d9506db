import { registerHooks } from 'node:module'

type Repair = readonly [broken: string, mended: string]

/**
 * postgres 3.4.9 writes small messages in a later turn of the event loop and forgets that the connection may be gone by then. A database
 * that is killed or restarted then ends this process (`Cannot read properties of null (reading 'write')`), or leaves a connection of the
 * pool that never sends again, on which requests hang. Each pair below is a piece of its source and what it has to be; the faults of
 * `npm run faults -- hub postgres.kill` and test/driver.test.ts show what happens without.
 * Source: issues 1066, 1154 and 1208 of porsager/postgres, open in 3.4.9; remove these when they are closed
 */
const CONNECTION: readonly Repair[] = [
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
  // a connection that is closed before it was ready fails the statement that waits for it; only where there are several hosts the next is tried
  ['if (initial)\n      return reconnect()', 'if (initial && options.host.length > 1)\n      return reconnect()'],
  // statements given between an error and the end of the connection, such as a rollback, fail as well instead of waiting for ever
  ['!hadError && (query || sent.length) && error(', 'if (initial || query || sent.length) error('],
  // nothing of the old connection is left for the next one: not its error, which would fail a new statement, nor half a result
  [
    'closedTime = performance.now()\n',
    'query = errorResponse = results = stream = final = null\n    result = new Result()\n    rows = 0\n    closedTime = performance.now()\n',
  ],
  // a server that owes an answer and says nothing for `silence_timeout` seconds is taken for gone
  [
    ', connectTimer = timer(connectTimedOut, options.connect_timeout)\n',
    ', connectTimer = timer(connectTimedOut, options.connect_timeout)\n      , silenceTimer = timer(silent, options.silence_timeout)\n',
  ],
  [
    'function connectTimedOut() {\n',
    `function silent() {
    socket && socket.destroy(Object.assign(new Error('the database does not answer'), { code: 'ETIMEDOUT' }))
  }

  function connectTimedOut() {
`,
  ],
  ['function data(x) {\n', 'function data(x) {\n    silenceTimer.start()\n'],
  ['const x = socket.write(chunk, fn)\n', 'const x = socket.write(chunk, fn)\n    silenceTimer.start()\n'],
  [
    'incoming = incoming.subarray(length + 1)\n      remaining = 0\n      incomings = null\n    }\n',
    'incoming = incoming.subarray(length + 1)\n      remaining = 0\n      incomings = null\n    }\n    query || sent.length || silenceTimer.cancel()\n',
  ],
  [
    'lifeTimer.cancel()\n    connectTimer.cancel()\n',
    'lifeTimer.cancel()\n    connectTimer.cancel()\n    silenceTimer.cancel()\n',
  ],
  // a connection that breaks while it learns the types is an error of its statement, not an unhandled one that ends the process
  ['return fetchArrayTypes()', 'return fetchArrayTypes().catch(noop)'],
]

/**
 * Every statement asks the server to synchronize, which makes it send each answer by itself, and a transaction needs two statements more. A
 * group of statements which the server knows already synchronizes once, at its end: one write on either side, and to PostgreSQL one
 * transaction, of which the rest is skipped after a failure. Where it has to be told one of them first, they go one by one between BEGIN and COMMIT.
 * The connection takes nothing else meanwhile.
 * Source: PostgreSQL, "Message Flow", Pipelining
 */
const GROUP: readonly Repair[] = [
  [
    '  function execute(q) {\n    if (terminated)',
    `  function executeGroup(group) {
    group[0].group = null
    let areKnown = true
    try {
      if (terminated)
        throw Errors.connection('CONNECTION_DESTROYED', options)
      for (const q of group) {
        q.state = backend
        build(q)
        if (q.parameters.length >= 65534)
          throw Errors.generic('MAX_PARAMETERS_EXCEEDED', 'Max number of parameters (65534) exceeded')
        areKnown = areKnown && q.prepared && !q.options.simple
      }
      if (areKnown) {
        const parts = group.flatMap(q => [Bind(q.parameters, q.statement.types, q.statement.name, q.cursorName), ExecuteUnsynced])
        group.forEach((q, i) => (q.isOfGroup = true, q.next = group[i + 1]))
        query ? sent.push(group[0]) : (query = group[0], query.active = true)
        // at once: nothing that could travel with it comes behind
        write(Buffer.concat([...parts, Sync]), noop)
        return false
      }
    } catch (error) {
      // nothing was sent; the answer to this gives the connection back
      query || terminated || write(Sync)
      group.forEach(q => queryError(q, error))
      return false
    }
    const simply = text => (q => (q.catch(() => {}), q))(new Query([text], [], () => {}, () => {}, { simple: true }))
    group.committed = simply('commit')
    const rest = [...group.map(q => (q.parameters = null, q)), group.committed]
    connection.reserved = () => {
      while (rest.length && execute(rest.shift())) {}
    }
    const refuse = error => rest.splice(0).forEach(q => q.reject(error))
    connection.onclose = refuse
    const begun = simply(group.begin)
    begun.catch(refuse)
    execute(begun)
    return false
  }

  function execute(q) {
    if (q.group)
      return executeGroup(q.group)

    if (terminated)`,
  ],
  ['    , DescribeUnnamed =', '    , ExecuteUnsynced = b().E().str(b.N).i32(0).end()\n    , DescribeUnnamed ='],
  [
    '    if (query.options.simple)\n      return BindComplete()\n',
    `    if (query.next) {
      query.resolve(result)
      query = query.next
      query.active = true
      result = new Result()
      return
    }

    if (query.options.simple)
      return BindComplete()
`,
  ],
  // a statement whose plan no longer fits is not repeated by itself, but described anew next time
  [
    ': query.prepared && retryRoutines.has(errorResponse.routine)\n',
    ': query.isOfGroup\n          ? (delete statements[query.signature], errored(errorResponse))\n          : query.prepared && retryRoutines.has(errorResponse.routine)\n',
  ],
  [
    '    query.reject(err)\n  }\n\n  function end() {',
    '    query.reject(err)\n    query.next && queryError(query.next, err)\n  }\n\n  function end() {',
  ],
]

/**
 * `begin` waits for the server's answer before the transaction may ask anything, and takes a COMMIT for one although the server made it a
 * ROLLBACK, which it does when a statement failed that nobody waited for. Mended, BEGIN and the first statements travel together, so do the
 * last ones and COMMIT, and a transaction counts as committed when all of its statements succeeded.
 */
const INDEX: readonly Repair[] = [
  // how busy the pool is
  [
    '    subscribe,\n    CLOSE,',
    `    subscribe,
    load: () => ({ size: options.max, inUse: busy.length + full.length + reserved.length, waiting: queries.length }),
    CLOSE,`,
  ],
  ['onclose         : o.onclose,', 'onclose         : o.onclose,\n    silence_timeout : o.silence_timeout,'],
  [
    "await sql.unsafe('begin ' + options.replace(/[^a-z ]/ig, ''), [], { onexecute }).execute()",
    `const begun = sql.unsafe('begin ' + options.replace(/[^a-z ]/ig, ''), [], { onexecute })
      await new Promise((resolve, reject) => {
        started = resolve
        begun.catch(error => reject(notBegun = error))
      })
      move(connection, reserved)`,
  ],
  ['      , prepare = null\n\n    try {', '      , prepare = null\n      , started, notBegun, gone, last\n\n    try {'],
  ['      connection = c\n      move(c, reserved)', '      connection = c\n      started()\n      move(c, reserved)'],
  // outside of its transaction a statement would stand alone, or in the middle of somebody else's
  [
    '        q.catch(e => uncaughtError || (uncaughtError = e))\n',
    `        q.catch(e => uncaughtError || (uncaughtError = e))
        if (gone || notBegun || (last && q !== last))
          return q.reject(gone || notBegun || Errors.generic('TRANSACTION_ENDED', 'The transaction this statement belongs to has ended'))
`,
  ],
  // nor on the connection that takes the place of a broken one
  [
    'connection.onclose = reject)',
    `connection.onclose = (error) => {
          gone = error
          while (queries.length)
            queries.shift().reject(error)
          reject(error)
        })`,
  ],
  [': sql`rollback`\n', ': (last = sql`rollback`)\n'],
  [
    ': await sql`commit`\n',
    `: await (last = sql\`commit\`)
        if (uncaughtError || (last && (await last).command !== 'COMMIT'))
          throw uncaughtError || Errors.generic('ROLLED_BACK', 'The transaction was rolled back')
`,
  ],
]

/** `together(begin, fn)`: what `fn` asks in one turn, as a group that has committed when this answers. */
const TOGETHER: readonly Repair[] = [
  ['    begin,\n    close,', '    begin,\n    together,\n    close,'],
  [
    '  async function begin(options, fn) {\n',
    `  async function together(begin, fn) {
    const given = []
    let sent = false
    const answer = Promise.resolve(fn(Sql(q => {
      q.catch(() => {})
      sent
        ? q.reject(Errors.generic('TRANSACTION_ENDED', 'The transaction this statement belongs to has ended'))
        : given.push(q)
    })))
    answer.catch(() => {})
    await new Promise(turnHasEnded => process.nextTick(turnHasEnded))
    sent = true
    if (given.length === 0)
      return answer
    given[0].catch(error => given.forEach(q => q.reject(error)))
    given[0].group = Object.assign(given, { begin })
    handler(given[0])
    await Promise.all(given)
    if (given.committed && (await given.committed).command !== 'COMMIT')
      throw Errors.generic('ROLLED_BACK', 'The transaction was rolled back')
    return answer
  }

  async function begin(options, fn) {
`,
  ],
]

const REPAIRS: Record<string, readonly Repair[]> = {
  'connection.js': [...CONNECTION, ...GROUP],
  'index.js': [...INDEX, ...TOGETHER],
}

/** @throws Error when the driver is another one than these repairs were made for */
function mend(source: string, repairs: readonly Repair[]): string {
  return repairs.reduce((text, [broken, mended]) => {
    if (text.split(broken).length !== 2) throw new Error('the repairs in db/mended-driver.ts do not fit this version of postgres')
    return text.replace(broken, () => mended)
  }, source)
}

registerHooks({
  load(url, context, next) {
    const loaded = next(url, context)
    const repairs = REPAIRS[/\/node_modules\/postgres\/src\/([a-z]+\.js)$/.exec(url)?.[1] ?? '']
    if (!repairs) return loaded
    return { ...loaded, source: mend(Buffer.from(loaded.source as Uint8Array).toString('utf8'), repairs) }
  },
})
