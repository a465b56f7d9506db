import { PROPOSED_UNITS } from '@haltless/protocol/units'
import { useMutation } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, unwrap } from '../../../api/client.ts'
import { useFaultText } from '../../../i18n/fault-text.ts'
import { useFormat } from '../../../i18n/format.tsx'
import { Button } from '../../../kit/button.tsx'
import { Dialog, DialogActions, LeaveButton } from '../../../kit/dialog.tsx'
import { TextField } from '../../../kit/field.tsx'
import { Empty } from '../../../kit/layout.tsx'
import { Notice } from '../../../kit/notice.tsx'
import { useRecordChange } from '../../../kit/record-change.ts'
import { toast } from '../../../kit/toast.tsx'
import { BrowseNodes } from './browse-nodes.tsx'
import { BrowseRegister } from './browse-register.tsx'
import { findSource, type OpcUaNode, proposedUnit, type Register, type Source, toConfig } from './source.ts'
import { indexRangeIn, type ValueRules } from './value-rules.ts'
import { ValueRulesFields } from './value-rules-fields.tsx'

type Tag = OpcUaNode | Register

const isNode = (tag: Tag): tag is OpcUaNode => 'node_id' in tag
const keyOf = (tag: Tag): string =>
  isNode(tag)
    ? `${tag.node_id}${tag.index_range === undefined ? '' : `[${tag.index_range}]`}`
    : `${tag.table ?? 'holding'} ${tag.address} ${tag.data_type ?? 'uint16'} ${tag.byte_order ?? 'ABCD'}${'bit' in tag ? ` ${tag.bit}` : ''}`

/** Which values of a device become which metrics. They are found on the device itself, or entered. */
export function TagsDialog({ source, onClose }: { source: Source; onClose(): void }) {
  const t = useTranslations('sources')
  const common = useTranslations('common')
  const faultText = useFaultText()
  const format = useFormat()
  const unitsId = useId()
  const [tags, setTags] = useState<readonly Tag[]>(source.config.nodes ?? source.config.registers ?? [])
  const [changeRecord] = useRecordChange(source, findSource)
  const save = useMutation({
    mutationFn: () => {
      const config = toConfig(source.protocol === 'opcua' ? { nodes: tags } : { registers: tags })
      const path = { source_id: source.id }
      return changeRecord({ config }, (body, header) =>
        unwrap(api.PUT('/ingest-sources/{source_id}', { params: { path, header }, body })),
      )
    },
    onSuccess: () => {
      toast('healthy', t('tagsSaved'))
      onClose()
    },
  })
  const add = (added: readonly Tag[]) => {
    const present = new Set(tags.map(keyOf))
    setTags([...tags, ...added.filter((tag) => !present.has(keyOf(tag)))])
  }
  const change = (
    index: number,
    part: { metric_name?: string; unit?: string; index_range?: number | string | undefined } & ValueRules,
  ) => setTags(tags.map((tag, at) => (at === index ? { ...tag, ...part } : tag)))
  return (
    <Dialog
      title={t('tagsTitle', { name: source.name })}
      draftKey={source.id}
      onClose={onClose}
      isBusy={save.isPending}
      width="max-w-4xl"
    >
      {source.protocol === 'opcua' ? (
        <BrowseNodes source={source} chosen={new Set(tags.map(keyOf))} onAdd={add} />
      ) : (
        <BrowseRegister source={source} onAdd={(register) => add([register])} />
      )}
      <form
        className="flex flex-col gap-4"
        onSubmit={(submit) => {
          submit.preventDefault()
          save.mutate()
        }}
      >
        <h3 className="font-semibold">{t('chosen', { count: tags.length })}</h3>
        {save.error ? <Notice tone="critical">{faultText(save.error)}</Notice> : null}
        {tags.length === 0 ? (
          <Empty title={t('noTags')}>{t('noTagsText')}</Empty>
        ) : (
          <ul className="flex max-h-80 flex-col gap-3 overflow-y-auto">
            {tags.map((tag, index) => (
              <li
                key={keyOf(tag)}
                className="grid grid-cols-[minmax(0,3fr)_minmax(0,2fr)] items-end gap-x-3 gap-y-1 sm:grid-cols-[minmax(0,1fr)_12rem_8rem_auto]"
              >
                <code className="self-center text-sm break-all max-sm:col-span-2">{keyOf(tag)}</code>
                <TextField
                  label={t('metricOf', { tag: keyOf(tag) })}
                  isLabelHidden
                  placeholder={t('metric')}
                  value={tag.metric_name}
                  required
                  maxLength={255}
                  onChange={({ target }) => change(index, { metric_name: target.value })}
                  onBlur={({ target }) => {
                    if (tag.unit === '' && target.value)
                      change(index, { unit: proposedUnit(isNode(tag) ? null : tag.data_type, target.value) })
                  }}
                />
                <TextField
                  label={t('unitOf', { tag: keyOf(tag) })}
                  isLabelHidden
                  placeholder={t('unitOfValue')}
                  list={unitsId}
                  value={tag.unit}
                  required
                  maxLength={64}
                  onChange={({ target }) => change(index, { unit: target.value })}
                />
                <Button
                  look="quiet"
                  className="max-sm:col-span-2 max-sm:justify-self-end"
                  aria-label={t('removeOf', { tag: keyOf(tag) })}
                  onPress={() => setTags(tags.filter((_, at) => at !== index))}
                >
                  {t('remove')}
                </Button>
                <ValueRulesFields tag={keyOf(tag)} rules={tag} onChange={(part) => change(index, part)}>
                  {isNode(tag) && (
                    <TextField
                      label={t('indexRange')}
                      hint={t('indexRangeHint')}
                      defaultValue={tag.index_range}
                      // It is part of the address, which names this row.
                      onBlur={({ target }) => change(index, { index_range: indexRangeIn(target.value) })}
                    />
                  )}
                </ValueRulesFields>
              </li>
            ))}
          </ul>
        )}
        <datalist id={unitsId}>
          {PROPOSED_UNITS.map((unit) => (
            <option key={unit} value={unit}>
              {format.machineUnitLabel(unit)}
            </option>
          ))}
        </datalist>
        <DialogActions>
          <LeaveButton onPress={onClose}>{common('cancel')}</LeaveButton>
          <Button look="primary" type="submit" isPending={save.isPending}>
            {common('save')}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
