import { Resolver } from 'node:dns/promises'

/** Texts of the TXT records of a name, each in its parts; at most 6 s. @param servers `address:port`; those of the machine when absent */
export function createTxtResolver(servers?: string[]): (name: string) => Promise<string[][]> {
  return (name) => {
    const resolver = new Resolver({ timeout: 2_000, tries: 2 })
    if (servers) resolver.setServers(servers)
    return resolver.resolveTxt(name)
  }
}
