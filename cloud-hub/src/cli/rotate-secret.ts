import type { Secret } from '@haltless/edge-agent/secret'
import { loadConfig } from '../config.ts'
import { requireSecretKey } from '../db/identity.ts'
import { HubsWithoutKey, type RotationResult, rotateSecretKey } from '../db/key-rotation.ts'
import { prepareDatabase, prepareTables } from '../db/migrate.ts'
import { asOwner } from '../db/owner.ts'
import { openPools } from '../db/pools.ts'
import { fingerprintOf } from '../support/secrets/derive.ts'
import { createSecretBox, keyMark, type SecretKeys } from '../support/secrets/secret-box.ts'
import {
  adoptSecretKey,
  loadSecretKeys,
  makeNextSecretKey,
  nextSecretKey,
  setNextSecretKeyAside,
} from '../support/secrets/secret-key.ts'
import { withOwner } from './open-hub.ts'
import { progressLine, UsageError } from './terminal.ts'

/** Changes the SECRET_KEY of the database, or undoes a change that is not complete. Running it again goes on where it was interrupted. */
export async function changeSecretKey({ undo = false, json = false }: { undo?: boolean; json?: boolean }): Promise<void> {
  const config = loadConfig(process.env)
  const isGenerated = config.secretKey === undefined
  if (!isGenerated && !config.secretKeyNext)
    throw new UsageError(
      'SECRET_KEY_NEXT: is not set. Make a key (`openssl rand -base64 32`), set it as SECRET_KEY_NEXT beside SECRET_KEY for every hub and for ' +
        'this command, restart the hubs one by one, then run this again.',
    )
  await withOwner(config, async (url) => {
    const held = await loadSecretKeys(config)
    const own = await asOwner(url, 'key rotation', (owner) => requireSecretKey(owner, held))
    const keys = isGenerated ? await generatedPair(config.dataDir, held[0], own.secretKey, undo) : held
    const { databaseLogins } = config
    if (databaseLogins) await prepareTables(url, keys)
    const pools = openPools(databaseLogins ?? (await prepareDatabase(url, keys)))
    const line = progressLine()
    try {
      const result = await rotateSecretKey({
        url,
        system: pools.system,
        box: createSecretBox([...keys, ...held.filter((key) => !keys.includes(key))]),
        keys,
        hasOwnLogins: databaseLogins === undefined,
        isUndo: undo,
        progress: (table, rows) => line.show(`${table}: ${rows} secrets`),
      })
      if (isGenerated) {
        await adoptSecretKey(config.dataDir, result.fingerprint)
        if (undo) await setNextSecretKeyAside(config.dataDir)
      }
      line.end()
      if (result.damaged.length > 0) process.exitCode = 1
      report(result, keys, { isGenerated, undo, json, hasArchive: config.walArchive !== undefined })
    } finally {
      line.end()
      await pools.close()
    }
  }).catch((error) => {
    throw error instanceof HubsWithoutKey && isGenerated
      ? new UsageError(
          'Restart the hub: it reads the next key, which this command has just made, when it starts. Then run this again.',
        )
      : error
  })
}

/** The two keys of a rotation of generated keys, in the order of the settings: the former one, and the next. The next is made where it is missing. */
async function generatedPair(dataDir: string, own: Secret, committed: Secret, undo: boolean): Promise<SecretKeys> {
  const next = await nextSecretKey(dataDir)
  // the database belongs to the next key, and only the name of its file is still that of the next one
  if (next && fingerprintOf(next) === fingerprintOf(committed)) return [own, committed]
  if (undo) return next ? [committed, next] : [committed]
  return [committed, await makeNextSecretKey(dataDir)]
}

function report(
  { state, reencrypted, damaged, fingerprint }: RotationResult,
  keys: SecretKeys,
  { isGenerated, undo, json, hasArchive }: { isGenerated: boolean; undo: boolean; json: boolean; hasArchive: boolean },
): void {
  const current = keys.find((key) => fingerprintOf(key) === fingerprint) ?? keys[0]
  const former = keys.find((key) => key !== current)
  const mark = keyMark(current)
  if (json) {
    console.log(JSON.stringify({ state, key_mark: mark, reencrypted, damaged }, null, 2))
    return
  }
  const after = {
    rotated: isGenerated
      ? 'The file secret-key holds the new key. Running hubs use it already.'
      : 'Now set SECRET_KEY to the value of SECRET_KEY_NEXT for every hub, remove SECRET_KEY_NEXT, and restart the hubs one by one.',
    undone: isGenerated ? '' : 'Remove SECRET_KEY_NEXT and restart the hubs one by one.',
    nothing: isGenerated ? '' : 'Set SECRET_KEY to that key, and remove SECRET_KEY_NEXT once no hub needs it.',
  }[state]
  const secrets = `${reencrypted} ${reencrypted === 1 ? 'secret was' : 'secrets were'} encrypted again.`
  const isTooLate = state === 'nothing' && undo && current !== keys[0]
  const nothing = isTooLate
    ? `It is too late to undo: the database belongs to the key ${mark}.`
    : `Nothing to do: the database belongs to the key ${mark}, and no change is under way.`
  console.log(
    state === 'nothing'
      ? `${nothing} ${reencrypted > 0 ? `${secrets} ` : ''}${after}`.trimEnd()
      : `The database belongs to the key ${mark}${state === 'undone' ? ' as before' : ''}. ${secrets}\n${after}`.trimEnd(),
  )
  if (state === 'rotated' && former) {
    const files = isGenerated
      ? `: it is kept in secret-key.${keyMark(former)}, and they contain it`
      : ': keep it as long as you keep them'
    console.log(
      `Backups from before need the former key ${keyMark(former)}${files}. Make a backup now${hasArchive ? ', and a base backup' : ''}.`,
    )
  }
  if (damaged.length > 0)
    console.log(`No key decrypts ${damaged.length} of them; they stay as they are: ${damaged.slice(0, 10).join(', ')}`)
}
