import { expect, it } from 'vitest'
import { RemoteFile, remoteAccess } from './remote-access.ts'

const NAMES: Record<string, string[]> = {
  'plc.plant': ['10.1.2.3'],
  'two.plant': ['192.168.0.9', '10.1.0.9'],
  'metadata.cloud': ['169.254.169.254'],
  'six.plant': ['fd00::7'],
}
const resolve = async (host: string) => NAMES[host] ?? [host]
const access = (file: object, own: { host: string; port: number }[] = []) => remoteAccess(RemoteFile.parse(file), own, resolve)
const ALLOW = { allow: [{ network: '10.1.0.0/16', ports: [502, 4840] }, { network: 'fd00::/8' }] }

it('a push reaches the networks and ports that are allowed, at the address that was checked', async () => {
  const { resolveHost } = access(ALLOW)
  await expect(resolveHost?.('plc.plant', 502)).resolves.toBe('10.1.2.3')
  await expect(resolveHost?.('two.plant', 4840)).resolves.toBe('10.1.0.9')
  await expect(resolveHost?.('10.1.255.255', 502)).resolves.toBe('10.1.255.255')
  await expect(resolveHost?.('six.plant', 9)).resolves.toBe('fd00::7')
})

it.each([
  ['plc.plant', 503],
  ['10.2.0.0', 502],
  ['metadata.cloud', 502],
  ['127.0.0.1', 502],
  ['::1', 4840],
])('and nothing else: %s:%i', async (host, port) => {
  const { resolveHost } = access(ALLOW)
  await expect(resolveHost?.(host, port)).rejects.toThrow(
    `remote.allow in the settings of this agent does not allow ${host}:${port}`,
  )
})

it('beside it, devices that the settings name themselves', async () => {
  const { resolveHost, allowDevices } = access({ allow: [] }, [{ host: 'Gateway.plant', port: 502 }])
  await expect(resolveHost?.('gateway.plant', 502)).resolves.toBe('gateway.plant')
  await expect(resolveHost?.('gateway.plant', 22)).rejects.toThrow('does not allow')
  allowDevices([{ host: 'gateway.plant', port: 22 }])
  await expect(resolveHost?.('gateway.plant', 22)).resolves.toBe('gateway.plant')
})

it('without a list there are no bounds, and sources are on', () => {
  expect(access({})).toMatchObject({ isOn: true, resolveHost: undefined })
  expect(access({ sources: 'off' }).isOn).toBe(false)
})

it.each([
  [{ allow: [{ network: '10.1.0.0' }] }],
  [{ allow: [{ network: '10.1.0.0/33' }] }],
  [{ allow: [{ network: 'plant/8' }] }],
  [{ allow: [{ network: '10.0.0.0/8', ports: [0] }] }],
  [{ sources: 'maybe' }],
])('%j is no setting', (file) => {
  expect(RemoteFile.safeParse(file).success).toBe(false)
})
