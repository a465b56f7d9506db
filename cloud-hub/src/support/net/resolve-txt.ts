import { Resolver } from 'node:dns/promises'

/**
 * The TXT records of a name, each as its parts; waits at most 6 s.
 * @param servers `address:port`; default: those of the machine
 */
export function createTxtResolver(servers?: string[]): (name: string) => Promise<string[][]> {
  return (name) => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 })
    if (servers) resolver.setServers(servers)
    return resolver.resolveTxt(name)
  }
}
