import { randomBytes } from 'node:crypto'
import { accessTokenOf, type DemoApi } from '../api.ts'
import type { Past } from './open-past.ts'

const NAMES = ['Anna Keller', 'Jonas Weber', 'Marta Novak']

/** Somebody of the plant, by the clock of the past. */
export interface Person {
  id: string
  name: string
  api: DemoApi
}

/** Adds those who lead the early, the late and the night shift, in this order. Nobody else ever learns their passwords. */
export async function addPeople(url: string, admin: DemoApi, past: Past): Promise<Person[]> {
  const people: Person[] = []
  for (const full_name of NAMES) {
    const email = `${full_name.toLowerCase().replace(' ', '.')}-${randomBytes(3).toString('hex')}@haltless.example`
    const password = `Demo-${randomBytes(18).toString('base64url')}1a`
    const { id } = await admin.post('/users', { body: { email, password, full_name, role: 'operator' } })
    people.push({ id, name: full_name, api: past.client(await accessTokenOf(url, email, password)) })
  }
  return people
}
