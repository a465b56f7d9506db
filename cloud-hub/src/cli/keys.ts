import type { Command } from 'commander'
import { rotateSigningKeys } from '../features/people/accounts/index.ts'
import { withHub } from './open-hub.ts'

export function addKeyCommands(program: Command): void {
  program
    .command('keys')
    .description("manage the hub's own signing keys")
    .command('rotate')
    .option('--discard-old', 'invalidate all tokens of the old keys at once: all users refresh or sign in again')
    .option('--json', 'as JSON')
    .description('create new signing keys; running hubs use them within seconds')
    .action(({ discardOld, json }: { discardOld?: boolean; json?: boolean }) =>
      withHub(async ({ pools, box }) => {
        await rotateSigningKeys(pools.system, box, discardOld ?? false)
        const rotated = ['access_token', 'mqtt_token']
        if (json) console.log(JSON.stringify({ rotated, old_keys: discardOld ? 'discarded' : 'valid until their tokens expire' }))
        else
          console.log(
            `New keys for ${rotated.join(' and ')}. ${discardOld ? 'Tokens of the old keys are no longer valid.' : 'Tokens of the old keys stay valid until they expire.'}`,
          )
      }),
    )
}
