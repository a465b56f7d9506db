import { expect, it } from 'vitest'
import { resolveProxy } from '../settings/schema.ts'
import { isProxied, OPEN_MS, type ProxySettings } from './proxy.ts'

const proxy = (noProxy: string[]): ProxySettings => ({ host: 'proxy', port: 3128, username: null, password: null, noProxy })

it.each<[string[], string, boolean]>([
  [[], 'https://hub.example.com', true],
  [['hub.example.com'], 'https://hub.example.com', false],
  [['HUB.example.com'], 'mqtts://hub.EXAMPLE.com:8883', false],
  [['example.com'], 'wss://hub.example.com/mqtt', false],
  [['.example.com'], 'https://hub.example.com', false],
  [['*.example.com'], 'https://hub.example.com', false],
  [['ample.com'], 'https://hub.example.com', true],
  [['*'], 'https://hub.example.com', false],
  [['10.0.0.0/8'], 'https://10.1.2.3', false],
  [['10.0.0.0/8'], 'https://11.1.2.3', true],
  [['10.0.0.0/8'], 'https://hub.example.com', true],
  [['fd00::/8'], 'https://[fd00::1]:8443', false],
  [['10.1.2.3'], 'https://10.1.2.3', false],
])('with no_proxy %j, %s goes through the proxy: %s', (noProxy, url, isThrough) => {
  expect(isProxied(proxy(noProxy), url)).toBe(isThrough)
})

it('the settings come before the environment, and none switches it off', () => {
  const env = { HTTPS_PROXY: 'http://ada:p%40ss@env.example.com:8080', NO_PROXY: 'a.example.com, .b.example.com' }
  const fromFile = { url: 'http://file.example.com:3128', no_proxy: [] }
  expect(resolveProxy(fromFile, env)).toMatchObject({ host: 'file.example.com', port: 3128, username: null })
  expect(resolveProxy('none', env)).toBeNull()
  expect(resolveProxy(undefined, {})).toBeNull()
  const fromEnvironment = resolveProxy(undefined, env) as ProxySettings
  expect(fromEnvironment).toMatchObject({ host: 'env.example.com', port: 8080, username: 'ada' })
  expect(fromEnvironment.password?.reveal()).toBe('p@ss')
  for (const url of [
    'https://a.example.com',
    'https://c.b.example.com',
    'http://127.0.0.1:8080',
    'http://localhost:8080',
    'http://[::1]:8080',
  ])
    expect([url, isProxied(fromEnvironment, url)]).toEqual([url, false])
  expect(isProxied(fromEnvironment, 'https://hub.example.com')).toBe(true)
})

it('a proxy has less than the ten seconds after which people expect the reason', () => {
  expect(OPEN_MS).toBeLessThanOrEqual(8_000)
})
