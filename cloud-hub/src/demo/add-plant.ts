import { text } from 'node:stream/consumers'
import { type DemoApi, signIn } from './api.ts'
import { addMachines } from './tenant.ts'

/**
 * Adds the simulated plant of docker-compose.yml to a tenant: its machines with rules, a channel that mails alerts, and an API key for
 * its agent. `install/compose-plant.sh` runs this in the image of the hub.
 */
const USAGE = `Usage: node cloud-hub/src/demo/add-plant.ts EMAIL [HUB_URL] <PASSWORD
Signs in as EMAIL, an admin. Prints the id of the tenant and the API key of the agent.`

const KEY = 'simulated plant'

async function addMailChannel(api: DemoApi, email: string): Promise<void> {
  const name = `Mail to ${email}`
  const channels = await api.get('/notification-channels')
  if (channels.some((channel) => channel.name === name)) return
  await api.post('/notification-channels', { body: { name, channel_type: 'email', config: { to_email: email } } })
}

/** A further run replaces the key: the agent has one, and no other is left that lets anyone send. */
async function replaceKey(api: DemoApi): Promise<string> {
  const keys = await api.get('/api-keys')
  const { key } = await api.post('/api-keys', { body: { name: KEY } })
  for (const { id, name, is_active } of keys)
    if (name === KEY && is_active) await api.delete('/settings/api-keys/{key_id}', { path: { key_id: id } })
  return key
}

async function main(email: string, url: string): Promise<void> {
  const password = (await text(process.stdin)).replace(/\r?\n$/, '')
  const api = await signIn(url, email, password)
  const { tenant_id } = await api.get('/auth/me')
  await addMachines(api)
  await addMailChannel(api, email)
  process.stdout.write(`${tenant_id} ${await replaceKey(api)}\n`)
}

const [email, url = `http://127.0.0.1:${process.env.PORT ?? 8080}`] = process.argv.slice(2)
const fail = (message: string) => {
  process.stderr.write(`${message}\n`)
  process.exitCode = 1
}
if (email === '--help') process.stdout.write(`${USAGE}\n`)
else if (!email?.includes('@')) fail(USAGE)
else main(email, url).catch((error: Error) => fail(`The plant could not be added: ${error.message}`))
