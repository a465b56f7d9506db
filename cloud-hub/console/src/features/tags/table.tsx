import { useTranslations } from 'use-intl'
import type { Schemas } from '../../api/client.ts'
import { useMe } from '../../app/me.tsx'
import { useFormat } from '../../i18n/format.tsx'
import { Button } from '../../kit/button.tsx'
import { Status } from '../../kit/status.tsx'
import { Table } from '../../kit/table.tsx'

type TagMapping = Schemas['TagMapping']

const GUESS = 0.5

export function MappingsTable({
  mappings,
  chosen,
  confirming,
  onChoose,
  onConfirm,
  onEdit,
}: {
  mappings: readonly TagMapping[]
  chosen: ReadonlySet<string>
  /** ids of mappings whose confirmation is under way */
  confirming: readonly string[]
  onChoose(ids: readonly string[], isChosen: boolean): void
  onConfirm(id: string): void
  onEdit(mapping: TagMapping): void
}) {
  const t = useTranslations('tags')
  const common = useTranslations('common')
  const format = useFormat()
  const { may } = useMe()
  const open = mappings.filter((it) => !it.is_confirmed).map(({ id }) => id)
  return (
    <Table label={t('title')}>
      <thead>
        <tr>
          {may('operator') ? (
            <th className="w-10">
              <input
                type="checkbox"
                aria-label={t('chooseAll')}
                disabled={open.length === 0}
                checked={open.length > 0 && open.every((id) => chosen.has(id))}
                onChange={({ target }) => onChoose(open, target.checked)}
                className="size-4.5 align-middle accent-(--brand)"
              />
            </th>
          ) : null}
          <th>{t('tag')}</th>
          <th>{t('metric')}</th>
          <th>{t('unit')}</th>
          <th>{t('state')}</th>
          {may('operator') ? (
            <th>
              <span className="sr-only">{common('edit')}</span>
            </th>
          ) : null}
        </tr>
      </thead>
      <tbody>
        {mappings.map((mapping) => (
          <tr key={mapping.id}>
            {may('operator') ? (
              <td>
                {mapping.is_confirmed ? null : (
                  <input
                    type="checkbox"
                    aria-label={t('choose', { tag: mapping.raw_tag })}
                    checked={chosen.has(mapping.id)}
                    onChange={({ target }) => onChoose([mapping.id], target.checked)}
                    className="size-4.5 align-middle accent-(--brand)"
                  />
                )}
              </td>
            ) : null}
            <td>
              <code className="break-all">{mapping.raw_tag}</code>
            </td>
            <td>{format.metric(mapping.standardized_name)}</td>
            <td>{format.machineUnitLabel(mapping.unit)}</td>
            <td className="whitespace-nowrap">
              {mapping.is_confirmed ? (
                <Status tone="healthy">{t('isConfirmed')}</Status>
              ) : (
                <Status tone={mapping.confidence_score < GUESS ? 'warning' : 'info'}>
                  {t(mapping.confidence_score < GUESS ? 'isGuess' : 'isSuggested', {
                    percent: format.percent(mapping.confidence_score * 100),
                  })}
                </Status>
              )}
            </td>
            {may('operator') ? (
              <td>
                <span className="flex justify-end gap-2">
                  {mapping.is_confirmed ? null : (
                    <Button
                      aria-label={t('confirmOf', { tag: mapping.raw_tag })}
                      isPending={confirming.includes(mapping.id)}
                      onPress={() => onConfirm(mapping.id)}
                    >
                      {t('confirm')}
                    </Button>
                  )}
                  <Button aria-label={t('editOf', { tag: mapping.raw_tag })} onPress={() => onEdit(mapping)}>
                    {common('edit')}
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
