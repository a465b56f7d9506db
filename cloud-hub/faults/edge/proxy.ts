import { type ProxyBehaviour, ScriptedProxy } from '../../../edge-agent/test/support/scripted-proxy.ts'
import type { FaultRow } from '../row.ts'
import { startSite } from './site.ts'

const FAILURES: readonly ProxyBehaviour[] = [407, 'silent', 'silent-tunnel', 'close', 403, 502, 'garbage']

export const edgeProxy: FaultRow = {
  name: 'edge.proxy',
  area: 'edge',
  isMostlyIdle: true,
  what: 'the only way to the hub is an HTTP proxy, which dies, refuses, closes, answers nonsense and stays silent in turn',
  async run(context) {
    let proxy = await ScriptedProxy.start()
    context.defer(() => proxy.stop())
    proxy.credentials = 'agent:open sesame'
    const entry = { url: `http://127.0.0.1:${proxy.port}`, username: 'agent', password: 'open sesame' }
    const site = await startSite(context, { agent: { uplink: { proxy: entry } } })
    const seconds = context.fullOrShort(20, 1)
    const failures = context.short ? FAILURES.slice(0, 2) : FAILURES
    for (const behaviour of failures) {
      context.say(`the proxy does this: ${behaviour}`)
      proxy.behaviour = behaviour
      proxy.dropTunnels()
      await context.sleep(seconds * 1_000)
      proxy.behaviour = 'tunnel'
      await site.untilMoreStored()
    }
    context.say('the proxy is dead')
    const { port, credentials } = proxy
    await proxy.stop()
    await context.sleep(seconds * 1_000)
    proxy = await ScriptedProxy.start(port)
    proxy.credentials = credentials
    await site.untilMoreStored()
    if (proxy.opened.length === 0) context.reportFailure('the agent did not use the proxy')
    return {
      ...(await site.finish()),
      note: `${failures.length} kinds of failure of ${seconds} s, then dead`,
    }
  },
}
