import type { KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Command } from 'commander'
import type { FileVerdict } from '../support/document/file-signature.ts'
import { Unavailable } from '../support/errors.ts'
import { withHub } from './open-hub.ts'
import { UsageError } from './terminal.ts'

/** Commands for auditors: docs/evidence.md explains them. */
export function addEvidenceCommands(program: Command): void {
  program
    .command('verify-certificate')
    .argument('<file>', 'the PDF')
    .option('--keys <file>', 'public keys of the hub, from /.well-known/certificate-keys.json; without it, those of the database')
    .option('--json', 'as JSON')
    .description('check that a certificate is exactly the file that the hub issued; exit code 1 when it is not')
    .action(async (file: string, options: { keys?: string; json?: boolean }) => {
      const { certificateJwks, publicKeysOf } = await import('../features/work/signoffs/index.ts')
      const { verifyFile } = await import('../support/document/file-signature.ts')
      const pdf = await readGiven(file)
      const keys = options.keys
        ? await keysOf(options.keys)
        : await withHub(async ({ pools, box }) => publicKeysOf(await certificateJwks(pools.system, box)))
      report(file, verifyFile(pdf, keys), options.json ?? false)
    })
  program
    .command('signoffs')
    .description('sign-offs of work orders')
    .command('verify')
    .option('--json', 'as JSON')
    .description(
      'verify every sign-off with its stored files, the chains and their anchors in the audit trail; exit code 1 when something is wrong',
    )
    .action(({ json }: { json?: boolean }) =>
      withHub(async ({ config, pools, box }) => {
        const { checkChains, signoffKeys } = await import('../features/work/signoffs/index.ts')
        const { FileChecker, openStore } = await import('../features/work/attachments/index.ts')
        const store = await openStore(config.attachments.store)
        const keys = await signoffKeys(pools.system, box)
        const reports = await checkChains(pools.system, keys, { store, checker: new FileChecker() })
          .catch((error) => {
            throw error instanceof Unavailable
              ? new UsageError(`The files in ${store.name} cannot be read: ${causeOf(error)}.`)
              : error
          })
          .finally(() => store.close())
        const faults = reports.reduce((sum, each) => sum + each.faults.length, 0)
        if (json) console.log(JSON.stringify(reports))
        else {
          for (const { tenant, tenantId, signoffs, anchors, faults: found } of reports) {
            console.log(
              `${tenant} (${tenantId}): ${signoffs} sign-offs, ${anchors} anchors, ${found.length === 0 ? 'all valid' : `${found.length} faults`}`,
            )
            for (const fault of found) console.log(`  ${fault}`)
          }
          if (reports.length === 0) console.log('There are no sign-offs.')
        }
        if (faults > 0) process.exitCode = 1
      }),
    )
}

const causeOf = (error: Error) => (error.cause instanceof Error ? error.cause : error).message

async function readGiven(file: string): Promise<Buffer> {
  return readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} cannot be read (${error.code}).`)
  })
}

async function keysOf(file: string): Promise<Map<string, KeyObject>> {
  const text = (await readGiven(file)).toString('utf8')
  const { publicKeysOf } = await import('../features/work/signoffs/index.ts')
  try {
    return publicKeysOf(JSON.parse(text))
  } catch {
    throw new UsageError(`${file} holds no public keys: save /.well-known/certificate-keys.json of the hub as a file.`)
  }
}

const REASONS: Record<Extract<FileVerdict, { isValid: false }>['reason'], string> = {
  unsigned: 'The file has no signature line: it is not a certificate of a hub, or a program saved it again and removed the line.',
  appended: 'Something was added after the signature line, or the line was cut: the file was changed after it was issued.',
  unknown_key: 'None of the given keys made the signature: it is of another hub, or the keys are older than the certificate.',
  changed: 'The signature does not belong to this content: the file was changed after it was issued.',
}

function report(file: string, verdict: FileVerdict, json: boolean): void {
  const detail = verdict.isValid ? 'The file is exactly as the hub issued it.' : REASONS[verdict.reason]
  const reference = verdict.isValid ? verdict.reference : null
  if (json) {
    const reason = verdict.isValid ? null : verdict.reason
    console.log(JSON.stringify({ file, is_valid: verdict.isValid, reason, detail, key_id: verdict.kid ?? null, reference }))
  } else {
    console.log(`${verdict.isValid ? 'Valid' : 'NOT VALID'}: ${file}\n${detail}`)
    if (verdict.kid) console.log(`Key: ${verdict.kid}`)
    if (reference) console.log(`Reference: ${reference}`)
  }
  if (!verdict.isValid) process.exitCode = 1
}
