import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { CALENDAR_TOKEN_CREATE_LABEL_MAX_LENGTH } from '../../api/limits.ts'
import { useFaultText, useFieldFaults } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { CopyText } from '../../kit/copy-text.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { TextField } from '../../kit/field.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Notice } from '../../kit/notice.tsx'
import { toast } from '../../kit/toast.tsx'

/** Addresses from which calendar programs read the maintenance; each is shown once, and ends when it is revoked. */
export function SubscribeDialog({ onClose }: { onClose(): void }) {
  const t = useTranslations()
  const format = useFormat()
  const faultText = useFaultText()
  const [created, setCreated] = useState<Schemas['NewCalendarToken'] | null>(null)
  const [revoked, setRevoked] = useState<Schemas['CalendarToken'] | null>(null)
  const subscriptions = useQuery(apiQuery('/calendar-tokens'))
  const create = useMutation({
    mutationFn: (label: string) => unwrap(api.POST('/calendar-tokens', { body: { label } })),
    onSuccess: (token) => {
      setCreated(token)
    },
  })
  const fields = useFieldFaults(create.error)
  return (
    <Dialog title={t('maintenance.subscribe')} onClose={onClose} isBusy={create.isPending}>
      <p>{t('maintenance.subscribeText')}</p>
      {created ? (
        <div className="flex flex-col gap-2">
          <p className="font-medium">{t('maintenance.addressOnce', { label: created.label })}</p>
          <CopyText text={created.url} />
        </div>
      ) : (
        <form
          className="flex flex-col gap-2"
          onSubmit={(submit) => {
            submit.preventDefault()
            create.mutate(String(new FormData(submit.currentTarget).get('label')).trim())
          }}
        >
          {create.error ? <Notice tone="critical">{faultText(create.error)}</Notice> : null}
          <TextField
            label={t('maintenance.subscriber')}
            hint={t('maintenance.subscriberHint')}
            name="label"
            required
            maxLength={CALENDAR_TOKEN_CREATE_LABEL_MAX_LENGTH}
            fault={fields.label}
          />
          <Button type="submit" look="primary" className="self-start" isPending={create.isPending}>
            {t('maintenance.createAddress')}
          </Button>
        </form>
      )}
      <section aria-label={t('maintenance.subscriptions')}>
        <h3 className="font-semibold">{t('maintenance.subscriptions')}</h3>
        <Loaded query={subscriptions} label={t('maintenance.subscriptions')} rows={2}>
          {(tokens) =>
            tokens.length === 0 ? (
              <p className="text-soft">{t('maintenance.noSubscriptions')}</p>
            ) : (
              <ul className="divide-y divide-line">
                {tokens.map((token) => (
                  <li key={token.id} className="flex items-center justify-between gap-3 py-2">
                    <span className="min-w-0">
                      <span className="font-medium">{token.label}</span>
                      <span className="block text-sm text-soft">
                        {token.last_used_at
                          ? t('maintenance.lastRead', { at: format.dateTime(token.last_used_at) })
                          : t('maintenance.neverRead')}
                      </span>
                    </span>
                    <Button aria-label={t('maintenance.revokeOf', { label: token.label })} onPress={() => setRevoked(token)}>
                      {t('maintenance.revoke')}
                    </Button>
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </section>
      <DialogActions>
        <Button onPress={onClose}>{t('common.close')}</Button>
      </DialogActions>
      {revoked ? (
        <ConfirmDialog
          title={t('maintenance.revokeTitle', { label: revoked.label })}
          text={t('maintenance.revokeText')}
          confirm={t('maintenance.revoke')}
          run={() => unwrap(api.DELETE('/calendar-tokens/{token_id}', { params: { path: { token_id: revoked.id } } }))}
          onDone={() => {
            if (created?.id === revoked.id) setCreated(null)
            toast('healthy', t('maintenance.revoked'))
          }}
          onClose={() => setRevoked(null)}
        />
      ) : null}
    </Dialog>
  )
}
