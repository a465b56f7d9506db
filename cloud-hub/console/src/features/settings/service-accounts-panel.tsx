import { useMutation, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { usePeople } from '../../app/people.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Status } from '../../kit/status.tsx'
import { Table } from '../../kit/table.tsx'
import { toast } from '../../kit/toast.tsx'
import { fill, useProgramTexts } from './program-texts.ts'
import { useRoleOptions } from './use-role-options.ts'

const AccountDialog = lazy(() => import('./service-account-dialog.tsx').then((it) => ({ default: it.ServiceAccountDialog })))
const TokenDialog = lazy(() => import('./token-dialog.tsx').then((it) => ({ default: it.TokenDialog })))

type Account = Schemas['ServiceAccount']
type Open = 'add' | { edit: Account } | { token: Account } | { deactivate: Account } | null

/** Members for programs: a role, tokens and no password. */
export function ServiceAccountsPanel() {
  const t = useTranslations()
  const { serviceAccounts: texts } = useProgramTexts()
  const [dialog, setDialog] = useState<Open>(null)
  const query = useQuery(apiQuery('/service-accounts'))
  const close = () => setDialog(null)
  return (
    <Panel
      title={texts.title}
      actions={
        <Button look="primary" onPress={() => setDialog('add')}>
          {texts.add}
        </Button>
      }
    >
      <p className="border-b border-line p-4 text-soft">{texts.text}</p>
      <Loaded query={query} label={texts.title} rows={2}>
        {(accounts) =>
          accounts.length === 0 ? (
            <p className="p-4 text-soft">{texts.none}</p>
          ) : (
            <Table label={texts.title}>
              <thead>
                <tr>
                  <th>{t('settings.keyName')}</th>
                  <th>{t('settings.role')}</th>
                  <th>{texts.responsible}</th>
                  <th>{t('settings.state')}</th>
                  <th>{texts.tokens}</th>
                  <th>{t('settings.lastUsed')}</th>
                  <th>
                    <span className="sr-only">{t('common.edit')}</span>
                  </th>
                </tr>
              </thead>
              <tbody>
                {accounts.map((account) => (
                  <AccountRow key={account.id} account={account} onOpen={setDialog} />
                ))}
              </tbody>
            </Table>
          )
        }
      </Loaded>
      <Suspense>
        {dialog === 'add' ? <AccountDialog onClose={close} /> : null}
        {dialog !== null && dialog !== 'add' && 'edit' in dialog ? <AccountDialog account={dialog.edit} onClose={close} /> : null}
        {dialog !== null && dialog !== 'add' && 'token' in dialog ? <TokenDialog account={dialog.token} onClose={close} /> : null}
      </Suspense>
      {dialog !== null && dialog !== 'add' && 'deactivate' in dialog ? (
        <ConfirmDialog
          title={t('members.deactivateTitle', { name: dialog.deactivate.name })}
          text={t('members.serviceAccountStop')}
          confirm={t('settings.deactivate')}
          run={() => setActive(dialog.deactivate, false)}
          onClose={close}
        />
      ) : null}
    </Panel>
  )
}

const setActive = ({ id }: Account, is_active: boolean) =>
  unwrap(
    api.PATCH('/service-accounts/{service_account_id}', {
      params: { path: { service_account_id: id } },
      body: { is_active },
    }),
  )

function AccountRow({ account, onOpen }: { account: Account; onOpen(dialog: Open): void }) {
  const t = useTranslations()
  const { serviceAccounts: texts } = useProgramTexts()
  const format = useFormat()
  const faultText = useFaultText()
  const roles = useRoleOptions()
  const people = usePeople()
  const activate = useMutation({
    mutationFn: () => setActive(account, true),
    onError: (error) => toast('critical', faultText(error)),
  })
  const { name } = account
  return (
    <tr>
      <td className="min-w-40 font-medium wrap-anywhere">{name}</td>
      <td>{roles.find(([key]) => key === account.role)?.[1] ?? account.role}</td>
      <td className="min-w-32 wrap-anywhere">{people?.find(({ id }) => id === account.responsible_id)?.full_name ?? '–'}</td>
      <td>
        <Status tone={account.is_active ? 'healthy' : 'offline'}>
          {t(account.is_active ? 'settings.states.active' : 'settings.states.deactivated')}
        </Status>
      </td>
      <td className="tabular">{account.active_tokens}</td>
      <td className="whitespace-nowrap">
        {account.last_used_at ? format.dateTime(account.last_used_at) : t('settings.neverUsed')}
      </td>
      <td>
        <span className="flex flex-wrap justify-end gap-x-1 gap-y-2">
          {account.is_active ? (
            <>
              <Button look="quiet" aria-label={fill(texts.newTokenOf, { name })} onPress={() => onOpen({ token: account })}>
                {texts.newToken}
              </Button>
              <Button look="quiet" aria-label={fill(texts.edit, { name })} onPress={() => onOpen({ edit: account })}>
                {t('common.edit')}
              </Button>
              <Button
                look="quiet"
                aria-label={t('members.deactivateOf', { name })}
                onPress={() => onOpen({ deactivate: account })}
              >
                {t('settings.deactivate')}
              </Button>
            </>
          ) : (
            <Button look="quiet" isPending={activate.isPending} onPress={() => activate.mutate()}>
              {t('settings.activate')}
            </Button>
          )}
        </span>
      </td>
    </tr>
  )
}
