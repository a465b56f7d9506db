import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { plantAgentCollectors } from '@haltless/edge-agent/plant'
import { AGENT_TOPICS, HUB_TOPICS, TOPIC_ROOT } from '@haltless/protocol'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig, Settings } from '../src/config.ts'

const root = path.resolve(import.meta.dirname, '../..')
const read = (file: string) => readFileSync(path.join(root, file), 'utf8')

interface Service {
  image?: string
  build?: { context: string; dockerfile: string }
  command?: string[]
  entrypoint?: string[]
  environment?: Record<string, string>
  volumes?: string[]
  depends_on?: Record<string, unknown>
}
const text = read('docker-compose.yml')
const compose = parse(text, { merge: true }) as { services: Record<string, Service>; volumes: Record<string, unknown> }
const services = Object.entries(compose.services)
const service = (name: string) => compose.services[name] as Service

const dockerfiles = ['install/Dockerfile.hub', 'install/Dockerfile.agent']
const instructions = (dockerfile: string) =>
  read(dockerfile)
    .split('\n')
    .filter((line) => /^[A-Z]+ /.test(line))
const commandOf = (dockerfile: string): string[] => {
  const [cmd] = instructions(dockerfile).filter((line) => line.startsWith('CMD '))
  return JSON.parse((cmd as string).slice(4))
}
/** `${NAME}` and `${NAME:-x}` */
const variablesIn = (yaml: string) => [...yaml.matchAll(/\$\{([A-Z_]+)/g)].map(([, name]) => name as string)

test('it consists of PostgreSQL 18, Mosquitto, two hubs, the plant and an agent, and says that no engine has run it yet', () => {
  expect(Object.keys(compose.services).sort()).toEqual(['agent', 'hub-1', 'hub-2', 'mosquitto', 'plant', 'postgres'])
  expect(service('postgres').image).toBe('postgres:18')
  expect(text).toMatch(/NOT YET RUN WITH A CONTAINER ENGINE/)
})

describe.each(services)('service %s', (_name, { build, command, entrypoint, volumes = [], depends_on = {} }) => {
  test('runs a file that exists, from an image that contains it', () => {
    if (build) {
      expect(existsSync(path.join(root, build.context, build.dockerfile))).toBe(true)
      const [program, script = ''] = command ?? commandOf(build.dockerfile)
      expect(program).toBe('node')
      expect(existsSync(path.join(root, script)), script).toBe(true)
      const copied = instructions(build.dockerfile).filter((line) => /^COPY (?!--)/.test(line))
      expect(
        copied.some((line) => script.startsWith(`${line.split(' ')[1]}/`)),
        script,
      ).toBe(true)
    }
    for (const word of (entrypoint ?? []).filter((part) => part.startsWith('/mosquitto/config/'))) {
      expect(existsSync(path.join(root, word.replace('/mosquitto/config', 'install/mosquitto'))), word).toBe(true)
    }
  })

  test('mounts what exists and depends on services that exist', () => {
    for (const [source = ''] of volumes.map((volume) => volume.split(':'))) {
      if (source.startsWith('.')) expect(existsSync(path.join(root, source)), source).toBe(true)
      else expect(Object.keys(compose.volumes)).toContain(source)
    }
    for (const other of Object.keys(depends_on)) expect(Object.keys(compose.services)).toContain(other)
  })
})

describe('variables', () => {
  test.each(['hub-1', 'hub-2'])(
    'every one of %s is a setting of the hub, and together they are a valid configuration',
    (name) => {
      const environment = service(name).environment as Record<string, string>
      for (const variable of Object.keys(environment)) expect(Object.keys(Settings.shape)).toContain(variable)
      const filled = Object.fromEntries(
        Object.entries(environment).map(([key, value]) => [key, value.replace(/\$\{[^}]*\}/g, 'x'.repeat(32))]),
      )
      expect(loadConfig(filled)).toMatchObject({ port: 8080, externalBroker: { url: 'mqtt://mosquitto:1883', username: 'hub' } })
    },
  )

  test('every one of the agent is read by the agent or named in its file, and the file names no other', () => {
    const known = ['HALTLESS_HUB_URL', 'HALTLESS_API_KEY', 'HALTLESS_DATA_DIR']
    const named = variablesIn(read('install/compose-agent.yaml')).filter((name) => name !== 'NAME')
    const given = Object.keys(service('agent').environment as object)
    for (const variable of given) expect([...known, ...named]).toContain(variable)
    for (const variable of named) expect(given).toContain(variable)
  })

  test("every one of the broker is read by its start script, and the images' own are spelled as they read them", () => {
    const script = read('install/mosquitto/start.sh')
    for (const variable of Object.keys(service('mosquitto').environment as object))
      expect(script).toMatch(new RegExp(`\\$\\{?${variable}\\b`))
    expect(Object.keys(service('postgres').environment as object).sort()).toEqual([
      'POSTGRES_DB',
      'POSTGRES_PASSWORD',
      'POSTGRES_USER',
    ])
  })

  test('every one that the operator must set is explained at the head of the file', () => {
    const head = text.slice(0, text.indexOf('\nname:'))
    for (const variable of variablesIn(text)) expect(head).toContain(variable)
  })
})

describe.each(dockerfiles)('%s', (dockerfile) => {
  test('copies only what exists and is not kept out by .dockerignore', () => {
    const sources = instructions(dockerfile)
      .filter((line) => /^COPY (?!--)/.test(line))
      .flatMap((line) => line.split(' ').slice(1, -1))
    expect(sources.length).toBeGreaterThan(5)
    for (const source of sources) {
      expect(existsSync(path.join(root, source)), source).toBe(true)
      expect(read('.dockerignore').split('\n')).toContain(`!${source.split('/')[0]}`)
    }
  })

  test('runs a script that exists, not as root', () => {
    expect(existsSync(path.join(root, commandOf(dockerfile)[1] as string))).toBe(true)
    expect(instructions(dockerfile)).toContain('USER node')
  })
})

test("the broker's access list grants the topics of the protocol: agents their own, hubs the other half", () => {
  const lines = read('install/mosquitto/acl').split('\n')
  const grants = (prefix: string, write: readonly string[], readable: readonly string[], keyword: string) => [
    ...write.map((topic) => `${keyword} write ${prefix}/${topic}`),
    ...readable.map((topic) => `${keyword} read ${prefix}/${topic}`),
  ]
  const hub = lines.indexOf('user hub')
  const rules = (part: string[]) => part.filter((line) => /^(topic|pattern) /.test(line)).sort()
  expect(rules(lines.slice(0, hub))).toEqual(grants(`${TOPIC_ROOT}/%u`, AGENT_TOPICS, HUB_TOPICS, 'pattern').sort())
  expect(rules(lines.slice(hub))).toEqual(grants(`${TOPIC_ROOT}/+/+`, HUB_TOPICS, AGENT_TOPICS, 'topic').sort())
})

test("the agent's file polls the plant at the ports of the plant's command", () => {
  const command = service('plant').command as string[]
  const port = (option: string) => Number(command[command.indexOf(option) + 1])
  const { collectors } = parse(read('install/compose-agent.yaml')) as { collectors: object[] }
  expect(collectors).toEqual(
    plantAgentCollectors({ host: 'plant', opcuaPort: port('--opcua-port'), modbusPort: port('--modbus-port') }),
  )
})
