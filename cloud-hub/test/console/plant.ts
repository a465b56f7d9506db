import { randomUUID } from 'node:crypto'
import type { Page } from 'playwright-core'
import { PASSWORD } from '../harness.ts'
import { call, soon } from './call.ts'

export interface Plant {
  email: string
  token: string
  key: string
  machineId: string
  identifier: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of every shape
  call(method: string, path: string, body?: unknown): Promise<any>
  /** @throws where the hub rejects the reading, which `POST /ingest` answers with 207 too */
  send(value: number, metric?: string, rawTag?: string): Promise<void>
  /** sends readings of any machines in dB, each so many minutes ago */
  sendAll(readings: { machine: string; value: number; ago: number }[]): Promise<void>
  colleague(role: string): Promise<{ email: string }>
}

/** A company with an administrator, a pump and a rule: above 80 decibel a warning, above 90 critical. */
export async function newPlant(hub: { readonly url: string }): Promise<Plant> {
  const email = `${randomUUID()}@example.com`
  const account = { email, password: PASSWORD, full_name: 'Ada Admin', tenant_name: 'Acme' }
  const { access_token: token } = await call(hub.url, 'POST', 'auth/register', account)
  const asAdmin = (method: string, path: string, body?: unknown) =>
    call(hub.url, method, path, body, { authorization: `Bearer ${token}` })
  const { key } = await asAdmin('POST', 'api-keys', { name: 'plant' })
  const identifier = 'pump-01'
  const machine = { name: 'Cooling pump', machine_identifier: identifier, protocol: 'opc_ua', location: 'Hall 3' }
  const { id: machineId } = await asAdmin('POST', 'machines', machine)
  await asAdmin('POST', 'alert-rules', { metric_name: 'noise', warning_threshold: 80, critical_threshold: 90 })
  const plant: Plant = {
    email,
    token,
    key,
    machineId,
    identifier,
    call: asAdmin,
    send: async (value, metric = 'noise', rawTag) => {
      const timestamp = new Date().toISOString()
      const reading = { machine_identifier: identifier, metric_name: metric, raw_tag: rawTag, value, unit: 'decibel', timestamp }
      const { errors } = await call(hub.url, 'POST', 'ingest', { readings: [reading] }, { 'x-api-key': key })
      if (errors.length > 0) throw new Error(`the hub rejects the reading: ${JSON.stringify(errors)}`)
    },
    sendAll: async (given) => {
      const now = Date.now()
      const readings = given.map(({ machine, value, ago }) => {
        const timestamp = new Date(now - ago * 60_000).toISOString()
        return { machine_identifier: machine, metric_name: 'noise', value, unit: 'decibel', timestamp }
      })
      await call(hub.url, 'POST', 'ingest', { readings }, { 'x-api-key': key })
    },
    colleague: (role) => addColleague(asAdmin, role),
  }
  return plant
}

/** Another user of a company. */
export async function addColleague(asAdmin: Plant['call'], role: string): Promise<{ email: string }> {
  const email = `${randomUUID()}@example.com`
  await asAdmin('POST', 'users', { email, password: PASSWORD, full_name: `Carl ${role}`, role })
  return { email }
}

/** Waits for the first alert of the plant. */
export const firstAlert = (plant: Plant): Promise<{ id: string; message: string }> =>
  soon(async () => (await plant.call('GET', 'alerts')).items[0])

/** Signs in without the form, which costs a page, and opens a page of the console. */
export async function enter(page: Page, hub: { readonly url: string }, email: string, path = '/'): Promise<void> {
  const body = JSON.stringify({ email, password: PASSWORD })
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(`${hub.url}/api/v1/auth/login`, { method: 'POST', headers, body })
  const [, name, value] = /^([^=]+)=([^;]+)/.exec(answer.headers.get('set-cookie') ?? '') as unknown as [string, string, string]
  await page
    .context()
    .addCookies([{ name, value, url: `${hub.url}/api/v1/auth`, httpOnly: true, secure: true, sameSite: 'Strict' }])
  // once a tab, so that a sign-out lasts
  await page.addInitScript(`if (!sessionStorage.getItem('entered')) {
    sessionStorage.setItem('entered', '1')
    localStorage.setItem('haltless.signed-in', '1')
  }`)
  await page.goto(hub.url + path)
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
}

/** Signs out by the menu of the person. */
export async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^Your account/ }).click()
  await page.getByRole('button', { name: 'Sign out', exact: true }).click()
  // who leaves the page before is still signed in for the next one
  await page.getByLabel('E-mail address').waitFor()
}

/** Signs in with the form. */
export async function signIn(page: Page, hub: { readonly url: string }, email: string, path = '/'): Promise<void> {
  await page.goto(hub.url + path)
  await page.getByLabel('E-mail address').fill(email)
  await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('main').getByRole('heading', { level: 1 }).waitFor()
  await page.waitForURL((url) => url.pathname !== '/sign-in')
}
