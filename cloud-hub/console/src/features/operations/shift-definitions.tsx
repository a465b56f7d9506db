import { useMutation, useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useSites } from '../../app/site.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Empty, Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Table } from '../../kit/table.tsx'
import { toast } from '../../kit/toast.tsx'
import { definitionsQuery, OrderButtons, useShiftOrder } from './shift-order.tsx'

const ShiftDialog = lazy(() => import('./shift-dialog.tsx').then((it) => ({ default: it.ShiftDialog })))
const PlantDialog = lazy(() => import('./plant-dialog.tsx').then((it) => ({ default: it.PlantDialog })))

type Definition = Schemas['ShiftDefinition']

/** The shifts of a day, which administrators define. The hub keeps a deactivated one, because its logs name it. */
export function ShiftDefinitions() {
  const t = useTranslations('shifts')
  const common = useTranslations('common')
  const { may } = useMe()
  const format = useFormat()
  const faultText = useFaultText()
  const [shown, setShown] = useState<Definition | 'new' | 'plant' | null>(null)
  const definitions = useQuery(definitionsQuery)
  const move = useShiftOrder()
  const { data: plant } = useQuery(apiQuery('/settings/plant'))
  const { data: sites = [] } = useSites()
  const activate = useMutation({
    mutationFn: async ({ id, is_active }: Definition) => {
      const params = { path: { definition_id: id } }
      if (is_active) await unwrap(api.DELETE('/shifts/definitions/{definition_id}', { params }))
      else await unwrap(api.PUT('/shifts/definitions/{definition_id}', { params, body: { is_active: true } }))
    },
    onSuccess: (_, { name, is_active }) => toast('healthy', t(is_active ? 'wasDeactivated' : 'wasActivated', { name })),
    onError: (error) => toast('critical', faultText(error)),
  })
  return (
    <Panel
      title={t('definitions')}
      actions={
        may('admin') ? (
          <>
            <Button onPress={() => setShown('plant')}>{t('plantCalendar')}</Button>
            <Button look="primary" onPress={() => setShown('new')}>
              {t('define')}
            </Button>
          </>
        ) : null
      }
    >
      {plant ? (
        <p className="px-4 pt-3 pb-1 text-sm text-soft">
          {t('plantText', { zone: plant.time_zone.replaceAll('_', ' ') })}{' '}
          {sites.flatMap(({ name, time_zone }) => (time_zone ? `${name}: ${time_zone.replaceAll('_', ' ')}. ` : []))}
          {t(plant.auto_shift_logs ? 'automatic' : 'byHand')}
        </p>
      ) : null}
      <Loaded query={definitions} label={t('definitions')} rows={3}>
        {(list) =>
          list.length === 0 ? (
            <Empty title={t('noDefinitions')}>{t(may('admin') ? 'noDefinitionsText' : 'noDefinitionsViewer')}</Empty>
          ) : (
            <Table label={t('definitions')}>
              <thead>
                <tr>
                  <th>{t('shift')}</th>
                  <th>{t('begins')}</th>
                  <th>{t('ends')}</th>
                  <th className="text-right">{t('length')}</th>
                  <th>{t('state')}</th>
                  {may('admin') ? (
                    <th>
                      <span className="sr-only">{common('edit')}</span>
                    </th>
                  ) : null}
                </tr>
              </thead>
              <tbody>
                {list.map((it, index) => (
                  <tr key={it.id} className={it.is_active ? '' : 'text-soft'}>
                    <td className="font-medium">
                      <ShiftName name={it.name} color={it.color} />
                      <span className="block font-normal text-soft">{sites.find(({ id }) => id === it.group_id)?.name}</span>
                    </td>
                    <td className="tabular">{it.start_time.slice(0, 5)}</td>
                    <td className="tabular">{it.end_time.slice(0, 5)}</td>
                    <td className="tabular text-right whitespace-nowrap">{format.duration(it.duration_minutes)}</td>
                    <td>{t(it.is_active ? 'inUse' : 'notInUse')}</td>
                    {may('admin') ? (
                      <td>
                        <span className="flex flex-wrap justify-end gap-2">
                          <OrderButtons
                            name={it.name}
                            index={index}
                            last={list.length - 1}
                            onMove={(to) => move(list, index, to)}
                          />
                          <Button look="quiet" aria-label={t('editOf', { name: it.name })} onPress={() => setShown(it)}>
                            {common('edit')}
                          </Button>
                          <Button
                            look="quiet"
                            isPending={activate.isPending && activate.variables.id === it.id}
                            onPress={() => activate.mutate(it)}
                          >
                            {t(it.is_active ? 'deactivate' : 'activate')}
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
        {shown === 'plant' ? (
          plant ? (
            <PlantDialog plant={plant} onClose={() => setShown(null)} />
          ) : null
        ) : shown ? (
          <ShiftDialog {...(shown === 'new' ? {} : { definition: shown })} onClose={() => setShown(null)} />
        ) : null}
      </Suspense>
    </Panel>
  )
}

export function ShiftName({ name, color }: { name: string; color: string }) {
  return (
    <span className="inline-flex items-center gap-2">
      <span className="size-3 shrink-0 rounded-sm border border-control" style={{ backgroundColor: color }} />
      {name}
    </span>
  )
}
