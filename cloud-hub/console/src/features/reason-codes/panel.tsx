import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useFaultText } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Table } from '../../kit/table.tsx'
import { toast } from '../../kit/toast.tsx'
import { useReasonLabel } from '../downtime/reason-label.ts'
import { inTree } from './tree.ts'

const ReasonCodeDialog = lazy(() => import('./reason-code-dialog.tsx').then((it) => ({ default: it.ReasonCodeDialog })))

type ReasonCode = Schemas['ReasonCode']

/** The reasons of downtime that people choose from. Records keep a code, so that none is deleted: it is retired. */
export function ReasonCodesPanel() {
  const t = useTranslations()
  const faultText = useFaultText()
  const client = useQueryClient()
  const labelOf = useReasonLabel()
  const { may } = useMe()
  const [shown, setShown] = useState<ReasonCode | 'new' | null>(null)
  const query = apiQuery('/reason-codes', { params: { query: { active_only: false } } })
  const codes = useQuery(query)
  const activate = useMutation({
    mutationFn: ({ id, is_active }: ReasonCode) =>
      unwrap(api.PUT('/reason-codes/{code_id}', { params: { path: { code_id: id } }, body: { is_active: !is_active } })),
    onMutate: async (code) => {
      await client.cancelQueries({ queryKey: query.queryKey })
      const before = client.getQueryData<ReasonCode[]>(query.queryKey)
      client.setQueryData(query.queryKey, (known) =>
        known?.map((it) => (it.id === code.id ? { ...it, is_active: !code.is_active } : it)),
      )
      return { before }
    },
    onSuccess: (changed) =>
      toast('healthy', t(changed.is_active ? 'reasonCodes.wasActivated' : 'reasonCodes.wasRetired', { name: labelOf(changed) }), {
        text: t('common.undo'),
        run: () => activate.mutate(changed),
      }),
    onError: (error, _, context) => {
      client.setQueryData(query.queryKey, context?.before)
      toast('critical', faultText(error))
    },
  })
  return (
    <Panel
      title={t('reasonCodes.title')}
      actions={
        may('admin') ? (
          <Button look="primary" onPress={() => setShown('new')}>
            {t('reasonCodes.add')}
          </Button>
        ) : null
      }
    >
      <Loaded query={codes} label={t('reasonCodes.title')}>
        {(list) =>
          list.length === 0 ? (
            <Empty title={t('reasonCodes.none')} />
          ) : (
            <Table label={t('reasonCodes.title')}>
              <thead>
                <tr>
                  <th>{t('reasonCodes.label')}</th>
                  <th>{t('reasonCodes.code')}</th>
                  <th>{t('downtime.type')}</th>
                  <th>{t('reasonCodes.loss')}</th>
                  <th>{t('reasonCodes.state')}</th>
                  {may('admin') ? (
                    <th>
                      <span className="sr-only">{t('common.edit')}</span>
                    </th>
                  ) : null}
                </tr>
              </thead>
              <tbody>
                {inTree(list).map(({ code, depth }) => (
                  <tr key={code.id} className={code.is_active ? '' : 'text-soft'}>
                    <td className="font-medium">
                      <span className="block" style={{ paddingLeft: `${depth * 1.25}rem` }}>
                        {labelOf(code)}
                        {code.description ? (
                          <span className="block text-sm font-normal text-soft">{code.description}</span>
                        ) : null}
                      </span>
                    </td>
                    <td>
                      <code className="text-sm">{code.code}</code>
                    </td>
                    <td>{t(`downtime.types.${code.category}`)}</td>
                    <td>{t(`reasonCodes.losses.${code.oee_loss_category}`)}</td>
                    <td className="whitespace-nowrap">{t(code.is_active ? 'reasonCodes.active' : 'reasonCodes.retired')}</td>
                    {may('admin') ? (
                      <td>
                        <span className="flex justify-end gap-2">
                          <Button
                            look="quiet"
                            aria-label={t('reasonCodes.editOf', { name: labelOf(code) })}
                            onPress={() => setShown(code)}
                          >
                            {t('common.edit')}
                          </Button>
                          <Button
                            look="quiet"
                            aria-label={t(code.is_active ? 'reasonCodes.retireOf' : 'reasonCodes.activateOf', {
                              name: labelOf(code),
                            })}
                            isPending={activate.isPending && activate.variables.id === code.id}
                            onPress={() => activate.mutate(code)}
                          >
                            {t(code.is_active ? 'reasonCodes.retire' : 'reasonCodes.activate')}
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
      <Suspense>
        {shown ? (
          <ReasonCodeDialog
            {...(shown === 'new' ? {} : { code: shown })}
            codes={codes.data ?? []}
            onClose={() => setShown(null)}
          />
        ) : null}
      </Suspense>
    </Panel>
  )
}
