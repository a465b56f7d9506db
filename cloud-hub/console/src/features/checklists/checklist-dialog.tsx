import { useMutation } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../api/client.ts'
import {
  CHECKLIST_CREATE_NAME_MAX_LENGTH,
  CHECKLIST_CREATE_STEPS_MAX_ITEMS,
  CHECKLIST_STEP_BODY_MAX_LENGTH,
  CHECKLIST_STEP_TITLE_MAX_LENGTH,
} from '../../api/limits.ts'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { TextArea, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { Icon } from '../../kit/icon.tsx'
import { useRecordChange } from '../../kit/record-change.ts'
import { toast } from '../../kit/toast.tsx'

interface Step {
  key: number
  title: string
  body: string
}

/** Writes a checklist, or changes one. Work orders that were created from it keep their steps. */
export function ChecklistDialog({ checklist, onClose }: { checklist?: Schemas['Checklist']; onClose(): void }) {
  const t = useTranslations('checklists')
  const common = useTranslations('common')
  const [name, setName] = useState(checklist?.name ?? '')
  const lastKey = useRef(0)
  const newStep = (title = '', body = ''): Step => ({ key: ++lastKey.current, title, body })
  const [steps, setSteps] = useState<Step[]>(() =>
    checklist ? checklist.steps.map((step) => newStep(step.title, step.body ?? '')) : [newStep()],
  )
  const change = (key: number, changes: Partial<Step>) =>
    setSteps((known) => known.map((step) => (step.key === key ? { ...step, ...changes } : step)))
  const move = (index: number, by: -1 | 1) =>
    setSteps((known) => {
      const moved = [...known]
      const [step] = moved.splice(index, 1)
      if (step) moved.splice(index + by, 0, step)
      return moved
    })
  const [changeRecord] = useRecordChange(checklist, ({ id }) =>
    unwrap(api.GET('/checklists/{checklist_id}', { params: { path: { checklist_id: id } } })),
  )
  const save = useMutation({
    mutationFn: () => {
      const body = {
        name: name.trim(),
        steps: steps.map((step) => ({ title: step.title.trim(), body: step.body.trim() || null })),
      }
      return checklist
        ? changeRecord(body, (body, header) =>
            unwrap(api.PUT('/checklists/{checklist_id}', { params: { path: { checklist_id: checklist.id }, header }, body })),
          )
        : unwrap(api.POST('/checklists', { body }))
    },
    onSuccess: () => {
      toast('healthy', common('saved'))
      onClose()
    },
  })
  const fields = useFieldFaults(save.error)
  return (
    <FormDialog
      title={t(checklist ? 'edit' : 'add')}
      draftKey={checklist?.id}
      width="max-w-2xl"
      saving={save}
      submit={common('save')}
      onSubmit={() => save.mutate()}
      onClose={onClose}
    >
      <TextField
        label={t('name')}
        required
        maxLength={CHECKLIST_CREATE_NAME_MAX_LENGTH}
        value={name}
        onChange={({ target }) => setName(target.value)}
        fault={fields.name}
      />
      <ol className="flex flex-col gap-3">
        {steps.map((step, index) => {
          const number = String(index + 1)
          return (
            <li key={step.key} className="flex items-start gap-3 rounded-lg border border-line p-3">
              <span className="tabular w-6 pt-2 text-right text-soft">{number}</span>
              <div className="flex min-w-0 flex-1 flex-col gap-2">
                <TextField
                  label={t('stepOf', { number })}
                  isLabelHidden
                  placeholder={t('step')}
                  required
                  maxLength={CHECKLIST_STEP_TITLE_MAX_LENGTH}
                  value={step.title}
                  onChange={({ target }) => change(step.key, { title: target.value })}
                  fault={fields[`steps.${index}.title`]}
                />
                <TextArea
                  label={t('howOf', { number })}
                  isLabelHidden
                  placeholder={t('how')}
                  rows={1}
                  maxLength={CHECKLIST_STEP_BODY_MAX_LENGTH}
                  value={step.body}
                  onChange={({ target }) => change(step.key, { body: target.value })}
                  fault={fields[`steps.${index}.body`]}
                />
              </div>
              <div className="flex flex-col">
                <Button
                  look="quiet"
                  aria-label={t('moveUp', { number })}
                  isDisabled={index === 0}
                  onPress={() => move(index, -1)}
                >
                  <Icon name="up" className="size-4.5" />
                </Button>
                <Button
                  look="quiet"
                  aria-label={t('moveDown', { number })}
                  isDisabled={index === steps.length - 1}
                  onPress={() => move(index, 1)}
                >
                  <Icon name="down" className="size-4.5" />
                </Button>
                <Button
                  look="quiet"
                  aria-label={t('removeStep', { number })}
                  isDisabled={steps.length === 1}
                  onPress={() => setSteps((known) => known.filter(({ key }) => key !== step.key))}
                >
                  <Icon name="cross" className="size-4.5" />
                </Button>
              </div>
            </li>
          )
        })}
      </ol>
      <Button
        className="self-start"
        isDisabled={steps.length >= CHECKLIST_CREATE_STEPS_MAX_ITEMS}
        data-adds-row
        onPress={() => setSteps((known) => [...known, newStep()])}
      >
        <Icon name="plus" className="size-4.5" />
        {t('addStep')}
      </Button>
    </FormDialog>
  )
}
