/** What Node's server passes beside a request. */
interface Env {
  incoming?: { socket: { remoteAddress?: string | undefined } }
}
type Fetch = (request: Request, env?: Env) => Response | Promise<Response>

const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/
const LOOPBACK_NAME = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i
/** What a proxy may say of itself. */
const PROXY_HEADERS = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip']

/**
 * Whether a browser on this computer asks, of a page that it loaded over http from a name of this computer. A proxy on this computer that says
 * nothing of itself, and sends a name of its own, passes the browser's `Origin` on.
 */
function isOfThisComputer({ headers }: Request, address: string): boolean {
  const [scheme, host = ''] = (headers.get('origin') ?? '').split('://')
  return (
    LOOPBACK_ADDRESS.test(address) &&
    LOOPBACK_NAME.test(headers.get('host') ?? '') &&
    scheme === 'http' &&
    LOOPBACK_NAME.test(host) &&
    !PROXY_HEADERS.some((name) => headers.has(name))
  )
}

/**
 * Leaves `Secure` away from cookies of requests that come from this computer to a name of it: WebKit keeps no such cookie over http, so
 * the demonstration would sign out at every reload. Only the hub of the demonstration has this.
 */
export const withLoopbackCookies =
  (fetch: Fetch): Fetch =>
  async (request, env) => {
    const answer = await fetch(request, env)
    if (!isOfThisComputer(request, env?.incoming?.socket.remoteAddress ?? '')) return answer
    const cookies = answer.headers.getSetCookie()
    answer.headers.delete('set-cookie')
    for (const cookie of cookies) answer.headers.append('set-cookie', cookie.replace('; Secure', ''))
    return answer
  }
