import { expect, it } from 'vitest'
import { SECRET_SETTINGS, Settings } from '../config.ts'
import { editDistance, findMisspellings } from './similar-settings.ts'

const settings = [...Object.keys(Settings.shape), ...SECRET_SETTINGS.map((name) => `${name}_FILE`)]
const meantBy = (...variables: string[]) =>
  findMisspellings(Object.fromEntries(variables.map((name) => [name, 'x'])), settings).map(({ meant }) => meant)

it('the distance between two names counts insertions, removals, replacements and exchanges of neighbours', () => {
  const table: [string, string, number][] = [
    ['SMTP_URL', 'SMTP_URL', 0],
    ['SMPT_URL', 'SMTP_URL', 1],
    ['DATABSE_URL', 'DATABASE_URL', 1],
    ['DATABASE_URI', 'DATABASE_URL', 1],
    ['', 'PORT', 4],
    ['HOME', 'HOST', 2],
  ]
  for (const [a, b, distance] of table) expect([a, b, editDistance(a, b)]).toEqual([a, b, distance])
})

it.each([
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['SMPT_URL', 'SMTP_URL'],
  ['SECRETKEY', 'SECRET_KEY'],
  ['SECRET_KEY_FIEL', 'SECRET_KEY_FILE'],
  ['PROT', 'PORT'],
  ['log_level', 'LOG_LEVEL'],
  ['MACHINE_OFFLINE_AFTER_SECOND', 'MACHINE_OFFLINE_AFTER_SECONDS'],
])('the variable %s is reported as a misspelled %s', (variable, meant) => {
  expect(meantBy(variable)).toEqual([meant])
})

it('variables of other programs are not reported as misspelled', () => {
  const others =
    'PATH HOME HOSTNAME USER SHELL TERM LANG PWD TZ POST SORT COST HOSTS PGHOST PGPORT MQTT_HOST SMTP_HOST HTTP_PORT NODE_ENV NODE_OPTIONS'
  const more =
    'KUBERNETES_PORT POSTGRES_PASSWORD POSTGRES_URL REDIS_URL AMQP_URL HTTP_PROXY API_KEY SSL_CERT_FILE SSL_KEY HALTLESS_API_KEY npm_config_cache'
  expect(meantBy(...others.split(' '), ...more.split(' '))).toEqual([])
})

it('a setting that has a value is never suggested', () => {
  expect(meantBy('DATABASE_URL', 'DATABASE_URI')).toEqual([])
})
