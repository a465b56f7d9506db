import { randomInt } from 'node:crypto'
import { text } from 'node:stream/consumers'
import type { Command } from 'commander'
import type { TransactionSql } from '../db/pools.ts'
import { canonicalEmail } from '../support/canonical-email.ts'
import { withHub } from './open-hub.ts'
import { table, UsageError } from './terminal.ts'

interface UserRow {
  id: string
  tenant_id: string
  email: string
  role: string
  status: string
  mfa: boolean
  last_login_at: string | null
}

/** A random password of 20 characters that satisfies the password rules, without ambiguous characters. */
function makePassword(): string {
  const sets = ['ABCDEFGHJKLMNPQRSTUVWXYZ', 'abcdefghjkmnpqrstuvwxyz', '23456789']
  const any = sets.join('')
  const pick = (from: string) => from[randomInt(from.length)] as string
  return [...sets.map(pick), ...Array.from({ length: 17 }, () => pick(any))].join('')
}

async function findUser(sql: TransactionSql, given: string): Promise<{ tenantId: string; userId: string; email: string }> {
  const email = canonicalEmail(given)
  const [user] = await sql<{ tenantId: string; userId: string; email: string }[]>`
    select tenant_id as "tenantId", id as "userId", email from users
    where lower(email) = ${email.toLowerCase()} and not is_service`
  if (!user) throw new UsageError(`No user has the e-mail address ${email}. \`npm run hub -- users list\` lists all users.`)
  return user
}

export function addUserCommands(program: Command): void {
  const users = program.command('users').description('manage the users of this hub')
  users
    .command('list')
    .description('list users, by tenant and oldest first')
    .option('--tenant <tenant-id>', 'only users of this tenant')
    .option('--json', 'as JSON')
    .action(({ tenant, json }: { tenant?: string; json?: boolean }) =>
      withHub(async ({ pools }) => {
        const rows = await pools.system<UserRow[]>`
          select id, tenant_id, email, role,
            case when not is_active then 'deactivated' when is_service then 'service account' when is_invited then 'invited' else 'active' end as status, mfa_enabled as mfa,
            to_char(last_login_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"') as last_login_at
          from users where ${tenant ?? null}::text is null or tenant_id::text = lower(${tenant ?? null}) order by tenant_id, created_at, id`
        console.log(json ? JSON.stringify([...rows], null, 2) : table([...rows] as never, 'There are no users yet.'))
      }),
    )

  users
    .command('reset-mfa')
    .argument('<email>')
    .option('--json', 'as JSON')
    .description('switch off two-factor sign-in of a user who has lost device and recovery codes; all sessions of the user end')
    .action(async (email: string, { json }: { json?: boolean }) => {
      const { deleteMfa, voidTokens } = await import('../features/people/accounts/index.ts')
      await withHub(async (hub) => {
        const user = await hub.change(async (sql) => {
          const found = await findUser(sql, email)
          const { tenantId, userId } = found
          await deleteMfa(sql, found)
          await sql`update users set mfa_enabled = false where tenant_id = ${tenantId} and id = ${userId}`
          await endSessions(sql, tenantId, userId)
          await voidTokens(sql, found, ['mfa_pending', 'sso_exchange'])
          return found
        })
        console.log(
          json ? JSON.stringify({ email: user.email, mfa: false }) : `${user.email} now signs in with the password alone.`,
        )
      })
    })

  users
    .command('set-password')
    .argument('<email>')
    .option('--stdin', 'read the password from standard input; by default a random one is set and printed')
    .option('--json', 'as JSON')
    .description('set the password of a user; all sessions and personal access tokens of the user end')
    .action(async (email: string, { stdin, json }: { stdin?: boolean; json?: boolean }) => {
      const { hashPassword, NewPassword, revokePersonalTokens, voidTokens } = await import('../features/people/accounts/index.ts')
      const password = stdin ? (await text(process.stdin)).replace(/\r?\n$/, '') : makePassword()
      const checked = NewPassword.safeParse(password)
      if (!checked.success) throw new UsageError(`The password ${checked.error.issues[0]?.message}.`)
      await withHub(async (hub) => {
        const passwordHash = await hashPassword(password)
        const user = await hub.change(async (sql) => {
          const found = await findUser(sql, email)
          await sql`update users set password_hash = ${passwordHash}, is_invited = false where tenant_id = ${found.tenantId} and id = ${found.userId}`
          await endSessions(sql, found.tenantId, found.userId)
          await revokePersonalTokens(sql, found, new Date())
          await voidTokens(sql, found, ['invitation', 'password_reset', 'mfa_pending', 'sso_exchange'])
          return found
        })
        if (json) console.log(JSON.stringify({ email: user.email, ...(stdin ? {} : { password }) }))
        else console.log(stdin ? `${user.email} has a new password.` : `${user.email} has a new password: ${password}`)
      })
    })
}

const endSessions = (sql: TransactionSql, tenantId: string, userId: string) =>
  sql`update sessions set revoked_at = now() where tenant_id = ${tenantId} and user_id = ${userId} and revoked_at is null`
