import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { REPORT_SETTINGS_REPORT_SCHEDULE } from '../../api/enums.ts'
import { useMe } from '../../app/me.tsx'
import { useFaultText, useFieldFaults } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { SelectField, TextArea } from '../../kit/field.tsx'
import { formText } from '../../kit/form-text.ts'
import { Panel } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Notice } from '../../kit/notice.tsx'
import { PageConflict, useRecordForm } from '../../kit/record-form.tsx'
import { toast } from '../../kit/toast.tsx'

/** When the hub mails its report to the signed-in user, and to whom else. */
export function ReportsPanel() {
  const t = useTranslations('reports')
  const schedule = useQuery(query)
  return (
    <Panel title={t('title')}>
      <Loaded query={schedule} label={t('title')} rows={3}>
        {(settings) => <ReportsForm settings={settings} />}
      </Loaded>
    </Panel>
  )
}

const query = apiQuery('/settings/report-schedule')

function ReportsForm({ settings }: { settings: Schemas['ReportSettings'] }) {
  const t = useTranslations()
  const faultText = useFaultText()
  const client = useQueryClient()
  const { user } = useMe()
  const { form, opened, key, change, saved } = useRecordForm(
    settings,
    () => unwrap(api.GET('/settings/report-schedule')),
    (body: Schemas['ReportSettingsPatch'], header) =>
      unwrap(api.PATCH('/settings/report-schedule', { params: { header }, body })),
  )
  const save = useMutation({
    mutationFn: change,
    onSuccess: (changed, body) => {
      client.setQueryData(query.queryKey, changed)
      saved(changed, body)
      toast('healthy', t('common.saved'))
    },
  })
  const fault = Object.entries(useFieldFaults(save.error)).find(([path]) => path.startsWith('report_emails'))?.[1]
  return (
    <>
      <form
        key={key}
        ref={form}
        className="flex flex-col gap-4 p-4"
        onSubmit={(event) => {
          event.preventDefault()
          const text = formText(event.currentTarget)
          save.mutate({
            report_schedule: (text('report_schedule') || null) as Schemas['ReportSettings']['report_schedule'],
            report_emails: text('report_emails')
              .split(/[\s,;]+/)
              .filter(Boolean),
          })
        }}
      >
        {save.error && !fault ? <Notice tone="critical">{faultText(save.error)}</Notice> : null}
        <p className="text-sm text-soft">{t('reports.text')}</p>
        <SelectField
          label={t('reports.schedule')}
          name="report_schedule"
          defaultValue={opened.report_schedule ?? ''}
          options={[
            ['', t('reports.never')],
            ...REPORT_SETTINGS_REPORT_SCHEDULE.map((it) => [it, t(`reports.schedules.${it}`)] as const),
          ]}
        />
        <TextArea
          label={`${t('reports.recipients')} (${t('common.optional')})`}
          hint={t('reports.recipientsHint', { email: user.email })}
          name="report_emails"
          rows={2}
          defaultValue={opened.report_emails.join('\n')}
          fault={fault}
        />
        <Button look="primary" type="submit" className="self-start" isPending={save.isPending}>
          {t('common.save')}
        </Button>
      </form>
      <PageConflict form={form} isBusy={save.isPending} />
    </>
  )
}
