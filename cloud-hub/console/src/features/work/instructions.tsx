import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { lazy, Suspense, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, POLLED, type Schemas, unwrap } from '../../api/client.ts'
import { download } from '../../api/download.ts'
import { INSTRUCTION_CREATE_TITLE_MAX_LENGTH } from '../../api/limits.ts'
import { useMe } from '../../app/me.tsx'
import { useFaultText } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { ConfirmDialog } from '../../kit/confirm-dialog.tsx'
import { TextField } from '../../kit/field.tsx'
import { Icon } from '../../kit/icon.tsx'
import { Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { toast } from '../../kit/toast.tsx'

const StepDialog = lazy(() => import('./step-dialog.tsx').then((it) => ({ default: it.StepDialog })))

/** The steps of a work order, which the technician ticks off. */
export function Instructions({ order }: { order: Schemas['WorkOrder'] }) {
  const t = useTranslations('work')
  const common = useTranslations('common')
  const faultText = useFaultText()
  const client = useQueryClient()
  const form = useRef<HTMLFormElement>(null)
  const { may } = useMe()
  const path = { work_order_id: order.id }
  const query = apiQuery('/work-orders/{work_order_id}/instructions', { params: { path } })
  const result = useQuery({ ...query, ...POLLED })
  const { data } = result
  const [edited, setEdited] = useState<Schemas['Instruction'] | null>(null)
  const [removed, setRemoved] = useState<Schemas['Instruction'] | null>(null)
  const files = useQuery(apiQuery('/attachments/work-order/{work_order_id}', { params: { path } })).data
  const mayChange = may('operator') && order.signoff_count === 0 && order.status !== 'cancelled'
  const tick = useMutation({
    mutationFn: ({ id, isCompleted }: { id: string; isCompleted: boolean }) =>
      unwrap(
        api.PATCH('/work-orders/{work_order_id}/instructions/{instruction_id}', {
          params: { path: { ...path, instruction_id: id } },
          body: { is_completed: isCompleted },
        }),
      ),
    onMutate: async ({ id, isCompleted }) => {
      await client.cancelQueries({ queryKey: query.queryKey })
      const before = client.getQueryData<Schemas['InstructionList']>(query.queryKey)
      client.setQueryData<Schemas['InstructionList']>(query.queryKey, (known) =>
        known ? { ...known, items: known.items.map((it) => (it.id === id ? { ...it, is_completed: isCompleted } : it)) } : known,
      )
      return { before }
    },
    onError: (error, _change, context) => {
      client.setQueryData(query.queryKey, context?.before)
      toast('critical', faultText(error))
    },
  })
  const add = useMutation({
    mutationFn: (title: string) => {
      const step_order = Math.max(0, ...(data?.items ?? []).map((it) => it.step_order)) + 1
      return unwrap(api.POST('/work-orders/{work_order_id}/instructions', { params: { path }, body: { title, step_order } }))
    },
    onSuccess: () => form.current?.reset(),
    onError: (error) => toast('critical', faultText(error)),
  })
  return (
    <Panel title={t('instructions')} className={data?.items.length === 0 ? 'no-print' : ''}>
      <Loaded query={result} label={t('instructions')} rows={3}>
        {(data) => (
          <ol className="divide-y divide-line">
            {data.items.map((step) => (
              <li key={step.id} className="flex items-start gap-2 px-4 py-2.5">
                <label className="flex min-w-0 flex-1 gap-3">
                  <input
                    type="checkbox"
                    checked={step.is_completed}
                    disabled={!mayChange}
                    onChange={({ target }) => tick.mutate({ id: step.id, isCompleted: target.checked })}
                    className="mt-0.5 size-5 shrink-0 accent-(--brand)"
                  />
                  <span>
                    <span className={step.is_completed ? 'text-soft line-through' : 'font-medium'}>{step.title}</span>
                    {step.body ? <span className="block text-sm whitespace-pre-wrap text-soft">{step.body}</span> : null}
                  </span>
                </label>
                <StepFile file={files?.find(({ id }) => id === step.attachment_id)} />
                {mayChange ? (
                  <Button
                    look="quiet"
                    className="-my-1.5 no-print"
                    aria-label={t('editInstruction', { title: step.title })}
                    onPress={() => setEdited(step)}
                  >
                    <Icon name="edit" className="size-4 text-soft" />
                  </Button>
                ) : null}
                {mayChange && !step.is_completed ? (
                  <Button
                    look="quiet"
                    className="-my-1.5 no-print"
                    aria-label={t('removeInstruction', { title: step.title })}
                    onPress={() => setRemoved(step)}
                  >
                    <Icon name="cross" className="size-4 text-soft" />
                  </Button>
                ) : null}
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      {data?.items.length === 0 && !mayChange ? <p className="p-4 text-soft">{t('noInstructions')}</p> : null}
      {mayChange ? (
        <form
          ref={form}
          className="flex items-end gap-2 border-t border-line p-4"
          onSubmit={(event) => {
            event.preventDefault()
            add.mutate(String(new FormData(event.currentTarget).get('title')).trim())
          }}
        >
          <TextField
            label={t('addInstruction')}
            name="title"
            required
            maxLength={INSTRUCTION_CREATE_TITLE_MAX_LENGTH}
            className="flex-1"
          />
          <Button type="submit" isPending={add.isPending}>
            {t('addShort')}
          </Button>
        </form>
      ) : null}
      <Suspense>{edited ? <StepDialog step={edited} onClose={() => setEdited(null)} /> : null}</Suspense>
      {removed ? (
        <ConfirmDialog
          title={t('removeInstruction', { title: removed.title })}
          text={t('removeInstructionText')}
          confirm={common('delete')}
          run={() =>
            unwrap(
              api.DELETE('/work-orders/{work_order_id}/instructions/{instruction_id}', {
                params: { path: { ...path, instruction_id: removed.id } },
              }),
            )
          }
          onClose={() => setRemoved(null)}
        />
      ) : null}
    </Panel>
  )
}

/** The drawing or photo that belongs to a step. */
function StepFile({ file }: { file: Schemas['Attachment'] | undefined }) {
  const t = useTranslations('work')
  const faultText = useFaultText()
  if (!file) return null
  return (
    <Button
      look="quiet"
      className="-my-1.5 no-print"
      aria-label={t('openStepFile', { name: file.filename })}
      onPress={() =>
        download(`/attachments/${file.id}/download`, file.filename).catch((error) => toast('critical', faultText(error)))
      }
    >
      <Icon name="download" className="size-4 text-soft" />
    </Button>
  )
}
