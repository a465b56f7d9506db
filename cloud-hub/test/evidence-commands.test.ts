import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { PASSWORD } from './harness.ts'
import { endAll, keptPort, processesWith, run, until } from './processes.ts'
import { copyReadyCluster } from './support/ready-cluster.ts'

/** The commands for auditors, on embedded databases of their own. */
const MAIN = 'cloud-hub/src/main.ts'
let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'haltless-evidence-'))
  // as root, PostgreSQL runs as another user, who must be able to enter
  chmodSync(folder, 0o755)
})
afterEach(() => endAll())
afterAll(async () => {
  await until('nothing runs on the data', () => processesWith(folder).length === 0)
  rmSync(folder, { recursive: true, force: true })
})

async function command(dataDir: string, args: string[]) {
  const program = run(MAIN, args, { DATA_DIR: dataDir, LOG_LEVEL: 'silent' })
  const code = await program.ended
  return { code, out: program.out(), err: program.err() }
}

async function serve(dataDir: string) {
  const [port, mqttPort] = [await keptPort(), await keptPort()]
  const program = run(MAIN, ['serve'], {
    DATA_DIR: dataDir,
    LOG_LEVEL: 'warn',
    PORT: String(port),
    MQTT_PORT: String(mqttPort),
    HOST: '127.0.0.1',
  })
  const url = `http://127.0.0.1:${port}`
  await until('the hub is ready', async () => (await fetch(`${url}/readyz`).catch(() => null))?.ok)
  const account = { email: 'ada@example.com', password: PASSWORD, full_name: 'Ada', tenant_name: 'Acme' }
  const post = (route: string, body: object) =>
    fetch(`${url}/api/v1/${route}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  if ((await post('auth/register', account)).status !== 201) await post('auth/login', account)
  const { access_token } = (await (await post('auth/login', account)).json()) as { access_token: string }
  const call = async (method: string, route: string, body?: object | FormData) => {
    const headers: Record<string, string> = { authorization: `Bearer ${access_token}` }
    if (body && !(body instanceof FormData)) headers['content-type'] = 'application/json'
    const sent = body instanceof FormData ? body : JSON.stringify(body)
    const answer = await fetch(`${url}/api/v1/${route}`, { method, headers, ...(body ? { body: sent } : {}) })
    if (!answer.ok) throw new Error(`${method} ${route}: ${answer.status} ${await answer.text()}`)
    return answer
  }
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  const json = async (...asked: Parameters<typeof call>): Promise<any> => (await call(...asked)).json()
  return { program, url, call, json }
}
type Hub = Awaited<ReturnType<typeof serve>>

/** A completed work order with a file, signed once. */
async function signedWork({ json }: Hub): Promise<{ id: string; signoffId: string }> {
  const machine = await json('POST', 'machines', { name: 'Press', machine_identifier: 'press', protocol: 'opc_ua' })
  const { id } = await json('POST', 'work-orders', { machine_id: machine.id, title: 'Replace the bearing' })
  const form = new FormData()
  form.set('file', new File(['measured: 4 µm'], 'protocol.txt'))
  await json('POST', `attachments?work_order_id=${id}`, form)
  await json('PATCH', `work-orders/${id}`, { status: 'completed' })
  return { id, signoffId: (await json('POST', `work-orders/${id}/signoffs`, { password: PASSWORD })).id }
}

describe('the commands for auditors', () => {
  it('verify a certificate offline, with older keys too, and sign-offs on a hub that was restored from a backup', async () => {
    const [first, second] = [copyReadyCluster(path.join(folder, 'first')), copyReadyCluster(path.join(folder, 'second'))]
    const hub = await serve(first)
    const { id, signoffId } = await signedWork(hub)
    const file = path.join(folder, 'certificate.pdf')
    writeFileSync(file, Buffer.from(await (await hub.call('GET', `work-orders/${id}/certificate`)).arrayBuffer()))
    expect((await command(first, ['keys', 'rotate-evidence'])).out).toMatch(/^New keys for sign-offs and certificates\./)
    const keys = path.join(folder, 'keys.json')
    writeFileSync(keys, await (await fetch(`${hub.url}/.well-known/certificate-keys.json`)).text())
    expect(JSON.parse((await command(first, ['keys', 'certificates'])).out)).toEqual(JSON.parse(readFileSync(keys, 'utf8')))

    // offline: a folder without a hub
    const nowhere = path.join(folder, 'nowhere')
    const valid = await command(nowhere, ['verify-certificate', file, '--keys', keys])
    expect([valid.code, valid.err]).toEqual([0, ''])
    expect(valid.out).toMatch(
      /^Valid: .*certificate\.pdf\nThe file is exactly as the hub issued it\.\nKey: [\w-]+\nReference: [\w-]{22}\n$/,
    )
    expect((await command(first, ['verify-certificate', file])).code).toBe(0)
    const bytes = readFileSync(file)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] as number) ^ 1
    writeFileSync(path.join(folder, 'changed.pdf'), bytes)
    const changed = await command(nowhere, ['verify-certificate', path.join(folder, 'changed.pdf'), '--keys', keys, '--json'])
    expect([changed.code, JSON.parse(changed.out)]).toEqual([1, expect.objectContaining({ is_valid: false, reason: 'changed' })])
    expect((await command(nowhere, ['verify-certificate', file, '--keys', file])).err).toMatch(/holds no public keys/)
    expect((await command(nowhere, ['verify-certificate', `${file}x`, '--keys', keys])).err).toMatch(/cannot be read \(ENOENT\)/)

    const checked = await command(first, ['signoffs', 'verify'])
    expect([checked.code, checked.out]).toEqual([0, expect.stringMatching(/^Acme \(.*\): 1 sign-offs, \d anchors, all valid\n$/)])
    const backup = path.join(folder, 'hub.backup')
    expect((await command(first, ['backup', backup])).code).toBe(0)
    await hub.program.end('SIGTERM')
    expect((await command(second, ['restore', backup])).code).toBe(0)
    expect((await command(second, ['signoffs', 'verify'])).code).toBe(0)
    const again = await serve(second)
    expect(await again.json('GET', `work-orders/${id}/signoffs/${signoffId}/verify`)).toMatchObject({ is_valid: true })
    expect((await command(second, ['verify-certificate', file])).code).toBe(0)
    await again.program.end('SIGTERM')

    // The stored file of the signed attachment is changed, then lost.
    const attachments = path.join(second, 'attachments')
    const [stored = ''] = readdirSync(attachments, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('/'))
    const original = readFileSync(path.join(attachments, stored))
    writeFileSync(path.join(attachments, stored), Buffer.alloc(original.length, 'x'))
    const damaged = await command(second, ['signoffs', 'verify'])
    expect([damaged.code, damaged.out]).toEqual([1, expect.stringContaining('File: protocol.txt does not have the bytes')])
    rmSync(attachments, { recursive: true })
    const away = await command(second, ['signoffs', 'verify'])
    expect(away.code).not.toBe(0)
    expect(away.err).toContain('cannot be read')
  }, 240_000)
})
