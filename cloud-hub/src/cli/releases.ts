import type { Command } from 'commander'
import { withHub } from './open-hub.ts'
import { formatBytes, progressLine, table } from './terminal.ts'

/** Releases of the agent: only the operator of the hub adds them, and agents verify them themselves. */
export function addReleaseCommands(program: Command): void {
  const releases = program.command('releases').description('versions of the agent that tenants can roll out')
  releases
    .command('add')
    .argument('<file>', 'haltless-agent-VERSION.release.json, with its archives beside it')
    .description('add a signed release')
    .action((file: string) =>
      withHub(async ({ pools }) => {
        const { addRelease } = await import('../features/agents/updates/index.ts')
        const progress = progressLine()
        const manifest = await addRelease(pools.system, file, new Date(), (done, all) =>
          progress.show(`${formatBytes(done)} of ${formatBytes(all)} stored`),
        ).finally(() => progress.end())
        const { version, sequence, expires_at, files } = manifest
        console.log(`Added version ${version}, sequence ${sequence}, valid until ${expires_at.slice(0, 10)}.`)
        console.log(
          table(
            files.map(({ platform, size }) => ({ platform, size: formatBytes(size) })),
            '',
          ),
        )
        console.log('Admins start a rollout with POST /api/v1/agent/rollouts.')
      }),
    )
  releases
    .command('list')
    .option('--json', 'as JSON')
    .description('list them, newest first')
    .action(({ json }: { json?: boolean }) =>
      withHub(async ({ pools }) => {
        const { listReleases } = await import('../features/agents/updates/index.ts')
        const found = await listReleases(pools.system)
        const rows = found.map(({ manifest: { version, sequence, expires_at, min_source_version, files }, addedAt }) => ({
          version,
          from: min_source_version,
          sequence,
          valid_until: `${expires_at.slice(0, 10)}${Date.parse(expires_at) <= Date.now() ? ' (expired)' : ''}`,
          platforms: files.map(({ platform }) => platform).join(', '),
          added: addedAt.toISOString().slice(0, 10),
        }))
        if (json) console.log(JSON.stringify(found.map(({ manifest, addedAt }) => ({ ...manifest, added_at: addedAt }))))
        else console.log(table(rows, 'There are no releases. Add one: npm run hub -- releases add FILE'))
      }),
    )
  releases
    .command('remove')
    .argument('<version>', 'such as 1.2.3')
    .description('remove a release that no rollout uses')
    .action((version: string) =>
      withHub(async ({ pools }) => {
        const { removeRelease } = await import('../features/agents/updates/index.ts')
        await removeRelease(pools.system, version)
        console.log(`Removed version ${version}.`)
      }),
    )
}
