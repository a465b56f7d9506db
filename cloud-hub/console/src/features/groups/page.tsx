import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { flattenGroups } from '../../app/machine-groups.ts'
import { useMe } from '../../app/me.tsx'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { Empty, PageHead } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Table } from '../../kit/table.tsx'
import { SiteConflicts } from './site-conflicts.tsx'

const GroupDialog = lazy(() => import('./group-dialog.tsx').then((it) => ({ default: it.GroupDialog })))
const MembersDialog = lazy(() => import('./members-dialog.tsx').then((it) => ({ default: it.MembersDialog })))

type Group = Schemas['MachineGroupNode']
type Open = { kind: 'add' } | { kind: 'edit' | 'members' | 'delete'; group: Group }

/** What sets a group deeper than its parent; deeper levels look like the last one. */
const INDENTS = ['', 'pl-6', 'pl-12', 'pl-18', 'pl-24']

/** The groups of machines as a tree: sites, lines, departments. */
export function GroupsPage() {
  const t = useTranslations()
  const { may } = useMe()
  const [open, setOpen] = useState<Open | null>(null)
  const tree = useQuery(apiQuery('/machine-groups/tree'))
  const close = () => setOpen(null)
  return (
    <>
      <p className="no-print mb-1 text-sm">
        <Link to="/machines">{t('nav.machines')}</Link>
      </p>
      <PageHead title={t('groups.title')} lead={t('groups.lead')}>
        {may('operator') ? (
          <Button look="primary" onPress={() => setOpen({ kind: 'add' })}>
            {t('groups.add')}
          </Button>
        ) : null}
      </PageHead>
      <SiteConflicts />
      <div className="card">
        <Loaded query={tree} label={t('groups.title')}>
          {(nodes) =>
            nodes.length === 0 ? (
              <Empty title={t('groups.none')}>{t(may('operator') ? 'groups.noneText' : 'groups.noneViewer')}</Empty>
            ) : (
              <Table label={t('groups.title')}>
                <thead>
                  <tr>
                    <th>{t('groups.name')}</th>
                    <th className="max-sm:hidden">{t('groups.type')}</th>
                    <th className="text-right">{t('nav.machines')}</th>
                    {may('operator') ? (
                      <th>
                        <span className="sr-only">{t('common.edit')}</span>
                      </th>
                    ) : null}
                  </tr>
                </thead>
                <tbody>
                  {flattenGroups(nodes).map(({ group, depth }) => (
                    <tr key={group.id}>
                      <td className="min-w-44">
                        <div className={INDENTS[Math.min(depth, INDENTS.length - 1)]}>
                          <span className="flex items-center gap-2">
                            {group.color ? (
                              <svg viewBox="0 0 12 12" className="size-3 shrink-0" aria-hidden="true">
                                <circle cx="6" cy="6" r="6" fill={group.color} />
                              </svg>
                            ) : null}
                            <Link to="/machines" search={{ group: group.id }} className="font-semibold">
                              {group.name}
                            </Link>
                          </span>
                          {group.description ? <p className="text-sm text-soft">{group.description}</p> : null}
                        </div>
                      </td>
                      <td className="max-sm:hidden">
                        {t(`groups.types.${group.group_type}`)}
                        {group.time_zone ? <p className="text-sm text-soft">{group.time_zone.replaceAll('_', ' ')}</p> : null}
                      </td>
                      <td className="tabular text-right">{group.machine_count}</td>
                      {may('operator') ? (
                        <td>
                          <span className="flex flex-wrap justify-end gap-2">
                            <Button
                              look="quiet"
                              aria-label={t('groups.membersOf', { name: group.name })}
                              onPress={() => setOpen({ kind: 'members', group })}
                            >
                              {t('nav.machines')}
                            </Button>
                            <Button
                              look="quiet"
                              aria-label={t('groups.editOf', { name: group.name })}
                              onPress={() => setOpen({ kind: 'edit', group })}
                            >
                              {t('common.edit')}
                            </Button>
                            <Button
                              look="quiet"
                              aria-label={t('groups.deleteOf', { name: group.name })}
                              onPress={() => setOpen({ kind: 'delete', group })}
                            >
                              {t('common.delete')}
                            </Button>
                          </span>
                        </td>
                      ) : null}
                    </tr>
                  ))}
                </tbody>
              </Table>
            )
          }
        </Loaded>
      </div>
      <Suspense>
        {open?.kind === 'add' || open?.kind === 'edit' ? (
          <GroupDialog group={open.kind === 'edit' ? open.group : null} tree={tree.data ?? []} onClose={close} />
        ) : null}
        {open?.kind === 'members' ? <MembersDialog group={open.group} onClose={close} /> : null}
      </Suspense>
      {open?.kind === 'delete' ? (
        <ConfirmDialog
          title={t('groups.deleteTitle', { name: open.group.name })}
          text={t(open.group.group_type === 'site' ? 'groups.deleteSiteText' : 'groups.deleteText')}
          confirm={t('common.delete')}
          run={() => unwrap(api.DELETE('/machine-groups/{group_id}', { params: { path: { group_id: open.group.id } } }))}
          onClose={close}
        />
      ) : null}
    </>
  )
}
