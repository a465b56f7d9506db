import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Schemas } from '@haltless/client'
import { plantMachines } from '@haltless/edge-agent/plant'
import type { RunningHub } from '../hub.ts'
import { accessTokenOf, type DemoApi, isUnauthorized, register, signIn } from './api.ts'
import { afterLockout, type LockoutWait } from './lockout.ts'
import { actPast, addPeople, addReadings, openPast, switchMails } from './past/index.ts'
import { addShiftsAndDetection, addSites } from './production.ts'
import { commandsToken } from './token.ts'

/** The content of `<DATA_DIR>/demo.json`. */
export interface DemoAccess {
  url: string
  email: string
  password: string
  api_key: string
  /** an access token that reads, for the commands that `npm start` prints; null while the hub refuses one */
  token: string | null
}

const CHANNEL = 'Demonstration receiver'
const NIGHT_SHIFT = 'Night shift'
/** The machine whose bearing fails. */
const PUMP = 'pump-01'
const COMPOSITE = 'Pump bearing is failing'

export interface DemoTenant {
  access: DemoAccess
  /** why there is no token */
  refusal: string | null
  api: DemoApi
  user: { tenantId: string; userId: string }
  pumpId: string
  /** does what people did in the past of a new tenant; null for a tenant that has its past */
  actPast: ((signal: AbortSignal) => Promise<void>) | null
}

/**
 * Opens the demonstration tenant: that of an earlier start if its login still works, else a new one with machines, rules and readings of
 * the past. Channels come after these, so nothing of the past is delivered.
 * @param pastDays 0: a new tenant begins today
 */
export async function openDemoTenant(
  { url, withClock }: Pick<RunningHub, 'url' | 'withClock'>,
  { dataDir, pastDays }: { dataDir: string; pastDays: number },
  receiverUrl: string,
  wait: LockoutWait,
): Promise<DemoTenant> {
  const file = path.join(dataDir, 'demo.json')
  const known = await readKnown(file)
  const found = known && (await reopen(url, known, wait))
  const { access, refusal, api } = found ?? (await create(url, wait))
  // a start that was killed while people of the past acted left their mails switched off
  const begun = path.join(dataDir, 'demo', 'past-begun')
  if (found && existsSync(begun)) {
    await switchMails(api, true)
    await rm(begun)
  }
  const me = await api.get('/auth/me')
  const user = { tenantId: me.tenant_id, userId: me.id }
  const past = !found && withClock && pastDays > 0 ? openPast(withClock, Date.now(), pastDays) : null
  const admin = past ? past.client(await accessTokenOf(url, access.email, access.password)) : api
  const machineIds = await addMachines(admin)
  await addShiftsAndDetection(admin, machineIds)
  if (past) await addReadings(past, user.tenantId)
  await updateReceiverUrl(api, receiverUrl)
  await addAlerting(api, access.email)
  await addSites(api, machineIds)
  const people = past && (await addPeople(url, api, past))
  const draft = `${file}.part`
  await writeFile(draft, `${JSON.stringify(access, null, 2)}\n`, { mode: 0o600 })
  await rename(draft, file)
  return {
    access,
    refusal,
    api,
    user,
    pumpId: machineIds.get(PUMP) as string,
    actPast:
      past &&
      people &&
      (async (signal) => {
        await writeFile(begun, '', { mode: 0o600 })
        await actPast({ past, people, admin, machineIds }, signal)
        await rm(begun)
      }),
  }
}

/** That of an earlier version has no token. */
type Known = Omit<DemoAccess, 'token'> & Partial<DemoAccess>

async function readKnown(file: string): Promise<Known | null> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Known
  } catch {
    return null
  }
}

type Opened = Pick<DemoTenant, 'access' | 'refusal' | 'api'>

async function reopen(url: string, known: Known, wait: LockoutWait): Promise<Opened | null> {
  try {
    const api = await afterLockout(() => signIn(url, known.email, known.password), wait)
    const { token, refusal } = await commandsToken(api, known.token)
    return { access: { ...known, url, token }, refusal, api }
  } catch (error) {
    // the data were moved or the password was changed: create a new tenant
    if (isUnauthorized(error)) return null
    throw error
  }
}

async function create(url: string, wait: LockoutWait): Promise<Opened> {
  const email = `demo-${randomBytes(3).toString('hex')}@haltless.example`
  const password = `Demo-${randomBytes(9).toString('base64url')}1a`
  await register(url, { email, password, full_name: 'Demo Admin', tenant_name: 'Demonstration plant' })
  const api = await afterLockout(() => signIn(url, email, password), wait)
  const { key } = await api.post('/api-keys', { body: { name: 'demonstration agent' } })
  const { token, refusal } = await commandsToken(api, null)
  return { access: { url, email, password, api_key: key, token }, refusal, api }
}

/** Creates missing machines and rules, so that a start completes an interrupted one. @returns ids by machine_identifier */
export async function addMachines(api: DemoApi): Promise<Map<string, string>> {
  const { items } = await api.get('/machines', { query: { is_active: 'all', page_size: 100 } })
  const rules = await api.get('/alert-rules')
  const ids = new Map<string, string>()
  for (const machine of plantMachines) {
    const values = { name: machine.name, machine_identifier: machine.id, protocol: machine.protocol, location: machine.location }
    const found = items.find((item) => item.machine_identifier === machine.id) ?? (await api.post('/machines', { body: values }))
    ids.set(machine.id, found.id)
    for (const rule of machine.rules) {
      if (rules.some((known) => known.machine_id === found.id && known.metric_name === rule.metric)) continue
      const thresholds = { warning_threshold: rule.warning, critical_threshold: rule.critical }
      await api.post('/alert-rules', { body: { machine_id: found.id, metric_name: rule.metric, ...thresholds } })
    }
  }
  return ids
}

/** Updates the webhook's URL, because the receiver has a new port at every start. */
async function updateReceiverUrl(api: DemoApi, url: string): Promise<void> {
  const channels = await api.get('/notification-channels')
  const known = channels.find((channel) => channel.name === CHANNEL)
  if (known) await api.put('/notification-channels/{channel_id}', { path: { channel_id: known.id }, body: { config: { url } } })
  else await api.post('/notification-channels', { body: { name: CHANNEL, channel_type: 'webhook', config: { url } } })
}

/** Adds what thresholds cannot show: a rule that combines two signs, and a mail when no one acknowledges within a minute. */
async function addAlerting(api: DemoApi, email: string): Promise<void> {
  const composites = await api.get('/composite-rules')
  if (!composites.some(({ name }) => name === COMPOSITE)) {
    const { items } = await api.get('/machines', { query: { search: PUMP } })
    const pump = items.find((item) => item.machine_identifier === PUMP)
    // a user may have deleted it
    if (pump) {
      const conditions: Schemas['CompositeRuleCreate']['expression']['conditions'] = [
        { metric: 'vibration', op: '>', value: 4.5, duration_seconds: 10 },
        { metric: 'bearing_temperature', op: '>', value: 75 },
      ]
      const rule = {
        machine_id: pump.id,
        name: COMPOSITE,
        expression: { operator: 'AND', conditions },
        severity: 'critical',
      } as const
      await api.post('/composite-rules', { body: rule })
    }
  }
  const channels = await api.get('/notification-channels')
  const mail =
    channels.find(({ name }) => name === NIGHT_SHIFT) ??
    (await api.post('/notification-channels', {
      body: { name: NIGHT_SHIFT, channel_type: 'email', config: { to_email: email }, notify_on_alert: false },
    }))
  const policies = await api.get('/escalation-policies')
  if (policies.some(({ name }) => name === NIGHT_SHIFT)) return
  await api.post('/escalation-policies', {
    body: { name: NIGHT_SHIFT, severity: 'critical', wait_minutes: 1, channel_id: mail.id },
  })
}
