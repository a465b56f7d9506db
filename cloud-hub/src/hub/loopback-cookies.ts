/** What Node's server passes beside a request. */
interface Env {
  incoming?: { socket: { remoteAddress?: string | undefined } }
}
type Fetch = (request: Request, env?: Env) => Response | Promise<Response>

const LOOPBACK_ADDRESS = /^(?:::ffff:)?127\.\d+\.\d+\.\d+$|^::1$/
const LOOPBACK_NAME = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i

/**
 * Leaves `Secure` away from cookies of requests that come from this computer to a name of it: WebKit keeps no such cookie over http, so
 * the demonstration would sign out at every reload. Only the hub of the demonstration has this.
 */
export const withLoopbackCookies =
  (fetch: Fetch): Fetch =>
  async (request, env) => {
    const answer = await fetch(request, env)
    const isFromHere = LOOPBACK_ADDRESS.test(env?.incoming?.socket.remoteAddress ?? '')
    // a proxy on this computer speaks for others
    const isDirect = !request.headers.has('x-forwarded-for') && !request.headers.has('forwarded')
    if (!isFromHere || !isDirect || !LOOPBACK_NAME.test(request.headers.get('host') ?? '')) return answer
    const cookies = answer.headers.getSetCookie()
    answer.headers.delete('set-cookie')
    for (const cookie of cookies) answer.headers.append('set-cookie', cookie.replace('; Secure', ''))
    return answer
  }
