import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { NON_PRODUCTION_DAY_NAME_MAX_LENGTH } from '../../api/limits.ts'
import { useSite, useSites } from '../../app/site.ts'
import { useRowText } from '../../i18n/fault-text.ts'
import { useFormat } from '../../i18n/format.tsx'
import { zoneOptions } from '../../i18n/zone-options.ts'
import { Button } from '../../kit/button.tsx'
import { CheckField, SelectField, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { useRecordChange } from '../../kit/record-change.ts'
import { toast } from '../../kit/toast.tsx'

type Plant = Schemas['PlantSettings']

/** The time zone of the plant, the days without production of all sites or of one, and whether the hub writes the shift logs. */
export function PlantDialog({ plant, onClose }: { plant: Plant; onClose(): void }) {
  const t = useTranslations('shifts')
  const common = useTranslations('common')
  const nav = useTranslations('nav')
  const format = useFormat()
  const client = useQueryClient()
  const [days, setDays] = useState(plant.non_production_days)
  const { data: sites = [] } = useSites()
  const [site, setSite] = useState(useSite() ?? '')
  const [date, setDate] = useState('')
  const [name, setName] = useState('')
  const [change, setOpened] = useRecordChange(
    plant,
    () => unwrap(api.GET('/settings/plant')),
    (path, value) => {
      if (path !== 'non_production_days' || Array.isArray(value)) return undefined
      const day = value as Plant['non_production_days'][number]
      const of = sites.find(({ id }) => id === day.group_id)?.name
      return [format.date(`${day.date}T12:00:00Z`), day.name, ...(of ? [of] : [])].join(' · ')
    },
  )
  const save = useMutation({
    mutationFn: (values: FormData) =>
      change(
        {
          time_zone: String(values.get('time_zone')),
          auto_shift_logs: values.has('auto_shift_logs'),
          non_production_days: days,
        },
        (body, header) => unwrap(api.PATCH('/settings/plant', { params: { header }, body })),
      ),
    onSuccess: () => {
      toast('healthy', common('saved'))
      onClose()
    },
  })
  const rowText = useRowText()
  const load = useMutation({
    mutationFn: async (file: File) => {
      const form = new FormData()
      form.set('file', file)
      const body = { body: form as never, bodySerializer: (given: unknown) => given as never }
      const params = { query: { group_id: site || undefined } }
      const result = await unwrap(api.POST('/settings/plant/non-production-days/import', { params, ...body }))
      return { result, stored: await client.fetchQuery({ ...apiQuery('/settings/plant'), staleTime: 0 }) }
    },
    onSuccess: ({ result, stored }) => {
      setOpened((opened) => {
        if (!opened) return opened
        const isSame = opened.time_zone === stored.time_zone && opened.auto_shift_logs === stored.auto_shift_logs
        // what somebody else has changed besides is found by the version that was opened
        return isSame ? stored : { ...opened, non_production_days: stored.non_production_days }
      })
      setDays(stored.non_production_days)
      const text = t('imported', { success: result.success_count, failed: result.failed_count })
      const [first] = result.errors
      toast(first ? 'warning' : 'healthy', first ? `${text} ${first.row}: ${rowText(first.faults)}` : text)
    },
  })
  const add = () => {
    if (!date || !name.trim()) return
    const group_id = site || null
    const others = days.filter((it) => it.date !== date || it.group_id !== group_id)
    setDays([...others, { date, name: name.trim(), group_id }].toSorted((a, b) => a.date.localeCompare(b.date)))
    setDate('')
    setName('')
  }
  const shown = days.filter((it) => (it.group_id ?? '') === site)
  const error = save.error ?? load.error
  return (
    <FormDialog
      title={t('plantCalendar')}
      saving={save}
      submit={common('save')}
      error={error}
      onSubmit={(form) => save.mutate(new FormData(form))}
      onClose={onClose}
    >
      <SelectField
        label={t('timeZone')}
        hint={t('timeZoneHint')}
        name="time_zone"
        defaultValue={plant.time_zone}
        options={zoneOptions(plant.time_zone)}
      />
      <CheckField label={t('autoLogs')} hint={t('autoLogsHint')} name="auto_shift_logs" defaultChecked={plant.auto_shift_logs} />
      <fieldset className="flex flex-col gap-3 rounded-lg border border-line p-4">
        <legend className="px-1 font-semibold">{t('freeDays')}</legend>
        {sites.length > 0 ? (
          <SelectField
            label={nav('site')}
            value={site}
            onChange={({ target }) => setSite(target.value)}
            options={[['', nav('allSites')], ...sites.map((it) => [it.id, it.name] as const)]}
          />
        ) : null}
        {shown.length === 0 ? (
          <p className="text-soft">{t('noFreeDays')}</p>
        ) : (
          <ul className="max-h-48 divide-y divide-line overflow-y-auto">
            {shown.map((day) => (
              <li key={day.date} className="flex items-center justify-between gap-3 py-1">
                <span>
                  {format.date(`${day.date}T12:00:00Z`)} · {day.name}
                </span>
                <Button
                  look="quiet"
                  aria-label={t('removeDay', { name: day.name })}
                  onPress={() => setDays(days.filter((it) => it !== day))}
                >
                  {common('delete')}
                </Button>
              </li>
            ))}
          </ul>
        )}
        <div className="flex flex-wrap items-end gap-2">
          <TextField label={t('date')} type="date" value={date} onChange={({ target }) => setDate(target.value)} />
          <TextField
            label={t('name')}
            className="min-w-40 flex-1"
            maxLength={NON_PRODUCTION_DAY_NAME_MAX_LENGTH}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
          <Button isDisabled={!date || !name.trim()} onPress={add}>
            {common('add')}
          </Button>
        </div>
        <label className="flex flex-col gap-1 text-sm">
          {t('importDays')}
          <input
            type="file"
            accept=".csv,.ics,text/csv,text/calendar"
            className="control"
            onChange={({ target }) => {
              const [file] = target.files ?? []
              if (file && !load.isPending) load.mutate(file)
              target.value = ''
            }}
          />
        </label>
      </fieldset>
    </FormDialog>
  )
}
