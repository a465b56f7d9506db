import { useQuery } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { apiQuery, type Schemas } from '../../api/client.ts'
import { MachineName } from '../../app/machine-name.tsx'
import type { Format } from '../../i18n/create-format.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Icon } from '../../kit/icon.tsx'
import { AUDIT_EVENTS, AUDIT_TYPES } from './audit-kinds.ts'

type Entry = Schemas['AuditEntry']

/** One entry of the audit trail, with the values before and after it. */
export function AuditEntry({
  entry,
  names,
  onTarget,
}: {
  entry: Entry
  /** of members, by id; the entry itself keeps the e-mail address of then */
  names: ReadonlyMap<string, string>
  onTarget(id: string): void
}) {
  const t = useTranslations('audit')
  const format = useFormat()
  const { actor, target } = entry
  const actorName = names.get(actor.id ?? '')
  const event = eventOf(entry)
  const isKnown = (AUDIT_EVENTS as readonly string[]).includes(event)
  const knownType = AUDIT_TYPES.find((it) => it === target.type)
  const changed = new Set([...Object.keys(entry.before ?? {}), ...Object.keys(entry.after ?? {})])
  // a status in the trail is always one that a person set
  if (changed.has('status')) changed.delete('status_is_manual')
  const fields = [...changed]
  return (
    <li>
      <details className="group">
        <summary className="flex cursor-pointer flex-wrap gap-x-4 gap-y-0.5 px-4 py-2.5 hover:bg-raised">
          <Icon name="right" className="mt-0.5 size-4 text-soft group-open:rotate-90" />
          <span className="tabular w-44 text-soft max-sm:flex-1">{format.seconds(entry.at)}</span>
          <span className="min-w-0 flex-1 max-sm:basis-full">
            <span className="font-medium">{knownType ? t(`types.${knownType}`) : target.type.replaceAll('_', ' ')}</span>{' '}
            <Subject entry={entry} names={names} />{' '}
            {isKnown ? t(`events.${event as (typeof AUDIT_EVENTS)[number]}`) : event.replaceAll('_', ' ')}
          </span>
          <span className="text-soft">{actorName ?? actor.name ?? t(`actors.${actor.kind}`)}</span>
        </summary>
        <div className="flex flex-col gap-3 px-4 pt-1 pb-4 text-sm">
          {fields.length === 0 ? null : (
            <div className="overflow-x-auto">
              <table className="data-table w-full">
                <thead>
                  <tr>
                    <th>{t('field')}</th>
                    <th>{t('before')}</th>
                    <th>{t('after')}</th>
                  </tr>
                </thead>
                <tbody>
                  {fields.map((field) => (
                    <tr key={field}>
                      <td>{format.metric(field)}</td>
                      <td>{textOf(entry.before?.[field], format)}</td>
                      <td>{textOf(entry.after?.[field], format)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            </div>
          )}
          <p className="flex flex-wrap items-center gap-x-4 gap-y-1 text-soft">
            <span>{t(`actors.${actor.kind}`)}</span>
            {actorName && actor.name ? <span>{actor.name}</span> : null}
            {entry.ip ? <span>{t('address', { ip: entry.ip })}</span> : null}
            {entry.request_id ? <span>{t('request', { id: entry.request_id })}</span> : null}
            {target.id ? (
              <Button look="quiet" onPress={() => onTarget(target.id as string)}>
                {t('sameTarget')}
              </Button>
            ) : null}
          </p>
        </div>
      </details>
    </li>
  )
}

/** Both ends of these exist before and afterwards: they are added to each other, or removed. */
const LINKS = ['machine_group_member', 'work_order_assignee']
const LINK_EVENTS: Record<string, string> = { created: 'added', deleted: 'removed' }

function eventOf({ action, target }: Entry): string {
  const event = action.split('.')[1] ?? action
  return (LINKS.includes(target.type) && LINK_EVENTS[event]) || event
}

/** The name of what the entry is about; for a row without a name, that of its machine or member. */
function Subject({ entry, names }: { entry: Entry; names: ReadonlyMap<string, string> }) {
  const { target, before, after } = entry
  const row = after ?? before ?? {}
  const idOf = (field: string) => (typeof row[field] === 'string' ? row[field] : null)
  const [machineId, userId, groupId] = [idOf('machine_id'), idOf('user_id'), idOf('group_id')]
  if (target.name) return <q>{target.name}</q>
  if (machineId)
    return (
      <>
        <q>
          <MachineName id={machineId} />
        </q>
        {groupId ? <GroupName id={groupId} /> : null}
      </>
    )
  const userName = userId && names.get(userId)
  return userName ? <q>{userName}</q> : null
}

/** The name of a group in brackets; nothing for a deleted one. */
function GroupName({ id }: { id: string }) {
  const { data } = useQuery(apiQuery('/machine-groups'))
  const name = data?.find((group) => group.id === id)?.name
  return name ? ` (${name})` : null
}

const INSTANT = /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/

function textOf(value: unknown, format: Format): string {
  if (value === undefined || value === null) return '–'
  if (typeof value === 'object') return JSON.stringify(value)
  // in full: a trail hides no digit
  if (typeof value === 'number') return value.toLocaleString(format.locale, { maximumFractionDigits: 20 })
  return typeof value === 'string' && INSTANT.test(value) ? format.seconds(value) : String(value)
}
