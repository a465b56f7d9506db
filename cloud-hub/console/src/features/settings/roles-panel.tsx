import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Table } from '../../kit/table.tsx'

const RoleDialog = lazy(() => import('./role-dialog.tsx').then((it) => ({ default: it.RoleDialog })))

/** The built-in roles, and the company's own names for their rights. */
export function RolesPanel() {
  const t = useTranslations()
  const format = useFormat()
  const [edited, setEdited] = useState<Schemas['Role'] | 'new' | null>(null)
  const [deleting, setDeleting] = useState<Schemas['Role'] | null>(null)
  const roles = useQuery(apiQuery('/settings/roles'))
  return (
    <Panel
      title={t('roles.title')}
      actions={
        <Button look="primary" onPress={() => setEdited('new')}>
          {t('roles.add')}
        </Button>
      }
    >
      <p className="px-4 pt-3 pb-1 text-sm text-soft">{t('roles.text')}</p>
      <Loaded query={roles} label={t('roles.title')} rows={3}>
        {(items) => (
          <Table label={t('roles.title')}>
            <thead>
              <tr>
                <th>{t('roles.name')}</th>
                <th>{t('roles.rights')}</th>
                <th className="text-right">{t('settings.members')}</th>
                <th>
                  <span className="sr-only">{t('common.edit')}</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {items.map((role) => (
                <tr key={role.key}>
                  <td className="min-w-40 font-medium wrap-anywhere">
                    {role.is_builtin ? t(`roles.tiers.${role.base_tier}`) : role.name}
                  </td>
                  <td>{t(`roles.tierRights.${role.base_tier}`)}</td>
                  <td className="tabular text-right">{format.count(role.member_count)}</td>
                  <td>
                    {role.is_builtin ? null : (
                      <span className="flex justify-end gap-2">
                        <Button
                          look="quiet"
                          aria-label={t('roles.renameOf', { name: role.name })}
                          onPress={() => setEdited(role)}
                        >
                          {t('roles.rename')}
                        </Button>
                        {role.member_count === 0 ? (
                          <Button
                            look="quiet"
                            aria-label={t('roles.deleteOf', { name: role.name })}
                            onPress={() => setDeleting(role)}
                          >
                            {t('common.delete')}
                          </Button>
                        ) : null}
                      </span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </Table>
        )}
      </Loaded>
      <Suspense>
        {edited ? <RoleDialog role={edited === 'new' ? null : edited} onClose={() => setEdited(null)} /> : null}
      </Suspense>
      {deleting ? (
        <ConfirmDialog
          title={t('roles.deleteTitle', { name: deleting.name })}
          text={t('roles.deleteText')}
          confirm={t('common.delete')}
          run={() => unwrap(api.DELETE('/settings/roles/{key}', { params: { path: { key: deleting.key } } }))}
          onClose={() => setDeleting(null)}
        />
      ) : null}
    </Panel>
  )
}
