import { parentPort, workerData } from 'node:worker_threads'
import { Secret } from '@haltless/edge-agent/secret'
import type { Login } from '../../db/login.ts'
import { openPool } from '../../db/pools.ts'
import { SealRunner } from './seal-runner.ts'
import type { Answer, Command, ThreadData } from './sealer.ts'

// The sealer's thread: it answers the commands of `Sealer`.
const { url, username, password, socket } = workerData as ThreadData
const credentials = username === undefined ? {} : { username, password: new Secret(password ?? '') }
const login: Login = { url: new Secret(url), ...credentials, ...(socket && { socket }) }
const sql = openPool(login, {
  name: 'sealer',
  max: 2,
  statementSeconds: 120,
  settings: {
    // tables grow from empty within minutes, which a generic plan would not notice
    plan_cache_mode: 'force_custom_plan',
    // A crash that undoes the last transactions puts the same readings back where they were.
    synchronous_commit: 'off',
    idle_in_transaction_session_timeout: '60s',
  },
})
const post = (answer: Answer) => parentPort?.postMessage(answer)
const runner = new SealRunner(sql, (line) => post({ line }))

parentPort?.on('message', async (command: Command) => {
  if (command === 'stop') {
    await runner.stop()
    await sql.end({ timeout: 5 })
    parentPort?.close()
  } else if ('tick' in command) post({ report: runner.tick(command.tick.now, command.tick.hints) })
  else {
    const { request, now, retention } = command.removeExpired
    await runner.removeExpired(now, retention).then(
      (readings) => post({ removed: { request, readings } }),
      (error: Error) => post({ failed: { request, error } }),
    )
  }
})
