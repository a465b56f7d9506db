import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Status } from '../../kit/status.tsx'
import { Table } from '../../kit/table.tsx'
import { fill, useProgramTexts } from './program-texts.ts'

const TokenDialog = lazy(() => import('./token-dialog.tsx').then((it) => ({ default: it.TokenDialog })))

type Token = Schemas['ProgramToken']

/** The access tokens of the person, which a program uses, or those of all members and service accounts. */
export function TokensPanel({ ofAll = false }: { ofAll?: boolean }) {
  const { tokens: texts } = useProgramTexts()
  const [dialog, setDialog] = useState<'create' | { revoke: Token } | null>(null)
  const own = useQuery({ ...apiQuery('/tokens'), enabled: !ofAll })
  const all = useQuery({ ...apiQuery('/settings/tokens'), enabled: ofAll })
  const title = ofAll ? texts.all : texts.title
  return (
    <Panel
      title={title}
      // the table needs the width of both columns
      className={ofAll ? '' : 'lg:col-span-2'}
      actions={ofAll ? null : <Button onPress={() => setDialog('create')}>{texts.create}</Button>}
    >
      <p className="border-b border-line p-4 text-soft">{ofAll ? texts.allText : texts.text}</p>
      <Loaded query={ofAll ? all : own} label={title} rows={2}>
        {(tokens) =>
          tokens.length === 0 ? (
            <p className="p-4 text-soft">{texts.none}</p>
          ) : (
            <TokensTable label={title} tokens={tokens} showOwner={ofAll} onRevoke={(revoke) => setDialog({ revoke })} />
          )
        }
      </Loaded>
      <Suspense>{dialog === 'create' ? <TokenDialog onClose={() => setDialog(null)} /> : null}</Suspense>
      {dialog !== null && dialog !== 'create' ? (
        <ConfirmDialog
          title={fill(texts.revokeTitle, { name: dialog.revoke.name })}
          text={texts.revokeText}
          confirm={texts.revoke}
          run={() => unwrap(api.DELETE('/tokens/{access_token_id}', { params: { path: { access_token_id: dialog.revoke.id } } }))}
          onClose={() => setDialog(null)}
        />
      ) : null}
    </Panel>
  )
}

const TONES = { active: 'healthy', expired: 'offline', revoked: 'offline' } as const

function TokensTable({
  label,
  tokens,
  showOwner,
  onRevoke,
}: {
  label: string
  tokens: readonly Token[]
  showOwner: boolean
  onRevoke(token: Token): void
}) {
  const t = useTranslations()
  const { tokens: texts } = useProgramTexts()
  const format = useFormat()
  return (
    <Table label={label}>
      <thead>
        <tr>
          <th>{t('settings.keyName')}</th>
          {showOwner ? <th>{texts.owner}</th> : null}
          <th>{texts.details}</th>
          <th>{t('settings.state')}</th>
          <th>{texts.expires}</th>
          <th>{t('settings.lastUsed')}</th>
          <th>
            <span className="sr-only">{texts.revoke}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {tokens.map((token) => (
          <tr key={token.id}>
            <td className="min-w-40 wrap-anywhere">
              <span className="font-medium">{token.name}</span>
              <code className="block text-sm text-soft">{token.token_prefix}</code>
            </td>
            {showOwner ? (
              <td className="min-w-36 wrap-anywhere">
                {token.owner_name}
                {token.is_service_account ? <span className="block text-sm text-soft">{t('members.serviceAccount')}</span> : null}
              </td>
            ) : null}
            <td className="text-sm">
              <Scopes scopes={token.scopes} />
            </td>
            <td>
              <Status tone={TONES[token.status]}>{texts.states[token.status]}</Status>
            </td>
            <td className="whitespace-nowrap">{format.date(token.expires_at)}</td>
            <td className="whitespace-nowrap">
              {token.last_used_at ? format.date(token.last_used_at) : t('settings.neverUsed')}
            </td>
            <td className="text-right">
              {token.status === 'active' ? (
                <Button look="quiet" aria-label={fill(texts.revokeOf, { name: token.name })} onPress={() => onRevoke(token)}>
                  {texts.revoke}
                </Button>
              ) : null}
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  )
}

/** A few scopes, or how many there are, which opens. */
function Scopes({ scopes }: { scopes: readonly string[] }) {
  const { tokens: texts } = useProgramTexts()
  const list = (
    <ul>
      {scopes.map((scope) => (
        <li key={scope}>{scope}</li>
      ))}
    </ul>
  )
  if (scopes.length <= 2) return list
  return (
    <details>
      <summary className="cursor-pointer whitespace-nowrap">{fill(texts.scopeCount, { count: scopes.length })}</summary>
      {list}
    </details>
  )
}
