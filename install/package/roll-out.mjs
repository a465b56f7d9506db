// Rolls a version out to the agent of the root, and waits until that has ended. Exit code 1 unless it is confirmed.
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'

const { url, email, password } = JSON.parse(readFileSync('/packages/hub.json', 'utf8'))
const api = `${url.replace(/\/api\/v1$/, '')}/api/v1`
const call = async (method, route, body, token) => {
  const headers = { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) }
  const answer = await fetch(`${api}/${route}`, { method, headers, body: body && JSON.stringify(body) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${route} answered ${answer.status}: ${text}`)
  return JSON.parse(text)
}
const { access_token } = await call('POST', 'auth/login', { email, password })
const given = { version: process.argv[2], agent_ids: ['boxed'], spread_seconds: 0 }
let rollout = await call('POST', 'agent/rollouts', given, access_token)
let told = ''
while (rollout.state === 'running') {
  await setTimeout(500)
  rollout = await call('GET', `agent/rollouts/${rollout.id}`, undefined, access_token)
  const { state, reason } = rollout.agents[0]
  const now = `${state}${reason ? `: ${reason}` : ''}`
  if (now !== told) process.stdout.write(`     ${now}\n`)
  told = now
}
if (rollout.counts.confirmed !== 1) process.exit(1)
