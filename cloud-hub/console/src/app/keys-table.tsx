import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { Button } from '../kit/button.tsx'
import { ConfirmDialog } from '../kit/confirm-dialog.tsx'
import { Table } from '../kit/table.tsx'

interface Key {
  id: string
  name: string
  key_prefix: string
}

/** Keys with how they begin and what became of them; each can be deleted. */
export function KeysTable<K extends Key>({
  label,
  keys,
  heads,
  stateOf,
  deleteTitle,
  deleteText,
  remove,
}: {
  label: string
  keys: readonly K[]
  heads: { name: string; prefix: string; state: string }
  stateOf(key: K): string
  deleteTitle(key: K): string
  deleteText(key: K): string
  remove(key: K): Promise<unknown>
}) {
  const t = useTranslations('common')
  const [deleting, setDeleting] = useState<K | null>(null)
  return (
    <>
      <Table label={label}>
        <thead>
          <tr>
            <th>{heads.name}</th>
            <th>{heads.prefix}</th>
            <th>{heads.state}</th>
            <th>
              <span className="sr-only">{t('delete')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => (
            <tr key={key.id}>
              <td className="min-w-40 font-medium wrap-anywhere">{key.name}</td>
              <td>
                <code className="text-sm">{key.key_prefix}</code>
              </td>
              <td>{stateOf(key)}</td>
              <td className="text-right">
                <Button look="quiet" aria-label={deleteTitle(key)} onPress={() => setDeleting(key)}>
                  {t('delete')}
                </Button>
              </td>
            </tr>
          ))}
        </tbody>
      </Table>
      {deleting ? (
        <ConfirmDialog
          title={deleteTitle(deleting)}
          text={deleteText(deleting)}
          confirm={t('delete')}
          run={() => remove(deleting)}
          onClose={() => setDeleting(null)}
        />
      ) : null}
    </>
  )
}
