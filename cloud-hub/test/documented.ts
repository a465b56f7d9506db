import { refusalsOf, type StatusRefusals } from '../src/support/http/refusals.ts'
import type { Route } from '../src/support/http/route.ts'

/** The operation that answers a path: literal parts count before parameters. */
function routeOf(routes: readonly Route[], method: string, path: string): Route | undefined {
  const wanted = method === 'HEAD' ? 'get' : method.toLowerCase()
  return routes
    .filter(({ spec }) => spec.method === wanted && new RegExp(`^/api/v1${spec.path.replace(/\{\w+\}/g, '[^/]+')}$`).test(path))
    .sort((a, b) => a.spec.path.split('{').length - b.spec.path.split('{').length)[0]
}

/** @throws Error for a refusal that the API document does not name at the operation that gave it */
export function checkDocumented(routes: readonly Route[], method: string, url: string, status: number, code: string): void {
  const route = routeOf(routes, method, url.split('?')[0] as string)
  if (!route) return
  const known = refusalsOf(route).find((one: StatusRefusals) => one.status === status)?.codes
  if (!(known as readonly string[] | undefined)?.includes(code))
    throw new Error(
      `${method} ${route.spec.path} answered ${status} ${code}, which the API document does not name: add it to the route's refuses`,
    )
}
