import type { Command } from 'commander'
import { withHub } from './open-hub.ts'

export function addKeyCommands(program: Command): void {
  const keys = program.command('keys').description("manage the hub's own signing keys")
  keys
    .command('rotate')
    .option('--discard-old', 'invalidate all tokens of the old keys at once: all users refresh or sign in again')
    .option('--json', 'as JSON')
    .description('create new signing keys; running hubs use them within seconds')
    .action(({ discardOld, json }: { discardOld?: boolean; json?: boolean }) =>
      withHub(async ({ pools, box }) => {
        const { rotateSigningKeys } = await import('../features/people/accounts/index.ts')
        await rotateSigningKeys(pools.system, box, discardOld ?? false)
        const rotated = ['access_token', 'mqtt_token']
        if (json) console.log(JSON.stringify({ rotated, old_keys: discardOld ? 'discarded' : 'valid until their tokens expire' }))
        else
          console.log(
            `New keys for ${rotated.join(' and ')}. ${discardOld ? 'Tokens of the old keys are no longer valid.' : 'Tokens of the old keys stay valid until they expire.'}`,
          )
      }),
    )

  keys
    .command('rotate-secret')
    .option('--undo', 'go back to the key that the database belongs to, while the change is not complete')
    .option('--json', 'as JSON')
    .description('change SECRET_KEY: encrypt all stored secrets under SECRET_KEY_NEXT, while hubs run with both keys')
    .action(async (options: { undo?: boolean; json?: boolean }) => {
      const { changeSecretKey } = await import('./rotate-secret.ts')
      await changeSecretKey(options)
    })

  keys
    .command('rotate-evidence')
    .option('--json', 'as JSON')
    .description('create new keys for sign-offs and certificates; what the old keys signed stays verifiable')
    .action(({ json }: { json?: boolean }) =>
      withHub(async ({ pools, box }) => {
        const { certificateJwks, rotateEvidenceKeys } = await import('../features/work/signoffs/index.ts')
        await rotateEvidenceKeys(pools.system, box)
        const { keys: published } = await certificateJwks(pools.system, box)
        if (json) console.log(JSON.stringify({ certificate_keys: published.length, current: published[0]?.kid }))
        else console.log(`New keys for sign-offs and certificates. Certificates are now signed with ${published[0]?.kid}.`)
      }),
    )
  keys
    .command('certificates')
    .description('print the public keys of certificates, for `verify-certificate --keys`: the current one and all older ones')
    .action(() =>
      withHub(async ({ pools, box }) => {
        const { certificateJwks } = await import('../features/work/signoffs/index.ts')
        console.log(JSON.stringify(await certificateJwks(pools.system, box), null, 2))
      }),
    )
}
