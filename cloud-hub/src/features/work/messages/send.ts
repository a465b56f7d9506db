import { languageOf } from '@haltless/protocol/languages'
import type { Sql } from '../../../db/pools.ts'
import { purge } from '../../../db/purge.ts'
import { endIfRefused, type PushTools, pushToBrowser } from '../../delivery/notifications/index.ts'
import { enqueueIfWanted, mailContentOf } from '../../mails/index.ts'
import { loadMessages, mailOf, type WorkMessage } from './contents.ts'

export interface MessageDeps extends PushTools {
  /** system role: messages of all tenants */
  allTenants: Sql
  /** the hub's public URL, without a trailing slash */
  publicUrl: string
}

/** Mails moved in one transaction. */
const MAILS = 50
/** Web pushes sent at once. */
const PUSHES = 8
/** The lease of a worker that died ends after this; it is longer than any attempt. */
const LEASE_SECONDS = 60
/** Delays before attempts 2 to 6: about three hours in all. */
const RETRY_SECONDS = [10, 60, 600, 3_600, 7_200]

/** Sends the messages that are due. Safe in several replicas at once. */
export async function sendWorkMessages(deps: MessageDeps, isStopping: () => boolean = () => false): Promise<void> {
  for (let hasMore = true; hasMore && !isStopping(); ) {
    const mails = await queueMails(deps)
    const pushes = await claimPushes(deps)
    await Promise.all(pushes.map((message) => attempt(deps, message)))
    hasMore = mails === MAILS || pushes.length === PUSHES
  }
}

/** Moves due mails to the outbox of mails in one transaction, so each is queued once. @returns how many were due */
async function queueMails({ allTenants, box, clock, publicUrl }: MessageDeps): Promise<number> {
  const now = clock.now()
  return allTenants.begin(async (tx) => {
    const ended = await tx<{ tenantId: string; id: string }[]>`
      with due as (
        select tenant_id, id from work_messages where status = 'waiting' and due_at <= ${now} and channel_id is null
        order by due_at limit ${MAILS} for update skip locked
      )
      update work_messages w set status = 'delivered', attempts = w.attempts + 1 from due d where w.tenant_id = d.tenant_id and w.id = d.id
      returning w.tenant_id as "tenantId", w.id`
    for (const message of ended.length > 0 ? await loadMessages(tx, ended) : []) {
      const { template, params } = mailOf(message, publicUrl)
      await enqueueIfWanted(tx, box, now, message, template, params)
    }
    return ended.length
  })
}

async function claimPushes({ allTenants, clock }: MessageDeps): Promise<readonly WorkMessage[]> {
  const now = clock.now()
  const claimed = await allTenants<{ tenantId: string; id: string }[]>`
    with due as (
      select tenant_id, id from work_messages where status = 'waiting' and due_at <= ${now} and channel_id is not null
      order by due_at limit ${PUSHES} for update skip locked
    )
    update work_messages w set attempts = w.attempts + 1, due_at = ${new Date(now.getTime() + LEASE_SECONDS * 1_000)}
    from due d where w.tenant_id = d.tenant_id and w.id = d.id
    returning w.tenant_id as "tenantId", w.id`
  return claimed.length > 0 ? loadMessages(allTenants, claimed) : []
}

async function attempt(deps: MessageDeps, message: WorkMessage): Promise<void> {
  const { allTenants, logger, publicUrl } = deps
  const { tenantId, id, channelId, sealedConfig } = message
  if (channelId === null || sealedConfig === null) return
  const browser = { tenantId, id: channelId, sealedConfig }
  const outcome = await pushToBrowser(deps, browser, browserMessage(message, publicUrl))
  const recorded = async () => {
    if (await endIfRefused(allTenants, deps.clock.now(), browser, outcome)) return
    await record(deps, message, outcome.kind, outcome.kind === 'delivered' ? null : outcome.fault.detail)
  }
  await recorded().catch((error) =>
    logger.error({ err: error, message_id: id }, 'the result of a message could not be recorded; it will be sent again'),
  )
}

/** The attempt count guards against another worker that claimed the message after the lease ended. */
function record(
  { allTenants, clock }: MessageDeps,
  { tenantId, id, attempts }: WorkMessage,
  kind: 'delivered' | 'transient' | 'permanent',
  error: string | null,
) {
  const delay = kind === 'transient' ? RETRY_SECONDS[attempts - 1] : undefined
  const status = kind === 'delivered' ? 'delivered' : delay === undefined ? 'refused' : 'waiting'
  const dueAt = new Date(clock.now().getTime() + (delay ?? 0) * 1_000)
  return allTenants`
    update work_messages set status = ${status}, error = ${error}, due_at = ${dueAt}
    where tenant_id = ${tenantId} and id = ${id} and attempts = ${attempts}`
}

/** The texts are those of the mail: subject and first paragraph. */
function browserMessage(message: WorkMessage, publicUrl: string): Parameters<typeof pushToBrowser>[2] {
  const { template, params } = mailOf(message, publicUrl)
  const content = mailContentOf(template, languageOf(message.locale), { timeZone: message.timeZone ?? 'UTC', ...params } as never)
  return {
    title: content.subject,
    body: content.paragraphs[0] ?? '',
    severity: message.kind === 'work_order_overdue' || message.kind === 'maintenance_overrun' ? 'warning' : 'info',
    machine: message.machineId === null ? null : { id: message.machineId, name: message.machineName },
    alert_id: null,
    work_order_id: message.workOrderId,
    maintenance_event_id: message.eventId,
    link: params.url,
    tag: message.id,
  }
}

/** Deletes messages 30 days after their creation. */
export async function purgeWorkMessages(allTenants: Sql, now: Date): Promise<void> {
  await purge(allTenants, { table: 'work_messages', column: 'created_at', before: new Date(now.getTime() - 30 * 86_400_000) })
}
