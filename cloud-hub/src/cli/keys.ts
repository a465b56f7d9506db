import type { Command } from 'commander'
import { rotateSigningKeys } from '../features/people/accounts/index.ts'
import { withHub } from './open-hub.ts'

export function addKeyCommands(program: Command): void {
  program
    .command('keys')
    .description("the hub's own signing keys")
    .command('rotate')
    .option('--discard-old', 'end all tokens of the old keys at once: everybody refreshes or signs in again')
    .option('--json', 'as JSON')
    .description('make new signing keys; running hubs see them within seconds')
    .action(({ discardOld, json }: { discardOld?: boolean; json?: boolean }) =>
      withHub(async ({ pools, box }) => {
        await rotateSigningKeys(pools.system, box, discardOld ?? false)
        const rotated = ['access_token', 'mqtt_token']
        if (json)
          console.log(JSON.stringify({ rotated, old_keys: discardOld ? 'discarded' : 'valid until their tokens run out' }))
        else
          console.log(
            `New keys for ${rotated.join(' and ')}. ${discardOld ? 'Tokens of the old ones no longer hold.' : 'Tokens of the old ones hold until they run out.'}`,
          )
      }),
    )
}
