import { type FormEvent, useState } from 'react'
import { useTranslations } from 'use-intl'
import { useFormat } from '../i18n/format.tsx'
import { addDays, dayOf, firstOfMonth, instantOf, mondayOf, wallTime } from '../i18n/wall-time.ts'
import { Button } from './button.tsx'
import { SelectField, TextField } from './field.tsx'

/** Ms since 1970; `to` does not belong to it. */
export interface ExactRange {
  from: number
  to: number
}

type Preset = 'lastWeek' | 'lastMonth'

/** The week or the month before this one, by the calendar of a time zone. */
export function presetRange(preset: Preset, timeZone: string, now = Date.now()): ExactRange {
  const today = dayOf(now, timeZone)
  const end = preset === 'lastWeek' ? mondayOf(today) : firstOfMonth(today)
  const start = preset === 'lastWeek' ? addDays(end, -7) : firstOfMonth(today, -1)
  const at = (day: string) => instantOf(`${day}T00:00`, timeZone).getTime()
  return { from: at(start), to: at(end) }
}

/** Chooses a span until now, the week or month before this one, or own dates from and to. */
export function RangeFields<R extends string>({
  rolling,
  chosen,
  range,
  hasTimes = false,
  isLabelHidden,
  onRolling,
  onRange,
}: {
  /** spans until now */
  rolling: readonly (readonly [name: R, text: string])[]
  /** which of them is shown; null: `range` is */
  chosen: R | null
  range: ExactRange
  /** own dates have a time of day */
  hasTimes?: boolean
  isLabelHidden?: boolean
  onRolling(name: R): void
  onRange(range: ExactRange): void
}) {
  const t = useTranslations('range')
  const { timeZone } = useFormat()
  /** the range as it was when own dates were chosen: one that moves on with the time would empty the fields while somebody types */
  const [own, setOwn] = useState<ExactRange | null>(null)
  const isPreset = (preset: Preset) => {
    const { from, to } = presetRange(preset, timeZone)
    return chosen === null && range.from === from && range.to === to
  }
  const value = own ? 'own' : (chosen ?? PRESETS.find(isPreset) ?? 'own')
  const edited = (chosen !== null && own) || range
  const choose = (next: string) => {
    setOwn(next === 'own' ? range : null)
    const preset = PRESETS.find((it) => it === next)
    if (preset) onRange(presetRange(preset, timeZone))
    else if (next !== 'own') onRolling(next as R)
  }
  return (
    <>
      <SelectField
        label={t('span')}
        isLabelHidden={isLabelHidden}
        actsAtOnce
        value={value}
        onChange={({ target }) => choose(target.value)}
        options={[...rolling, ...PRESETS.map((it) => [it, t(it)] as const), ['own', t('own')]]}
      />
      {value === 'own' ? (
        <OwnDates
          key={`${edited.from} ${edited.to}`}
          {...{ range: edited, hasTimes, isLabelHidden }}
          onRange={(entered) => {
            setOwn(null)
            onRange(entered)
          }}
        />
      ) : null}
    </>
  )
}

const PRESETS: readonly Preset[] = ['lastWeek', 'lastMonth']

function OwnDates({ range, hasTimes, onRange }: { range: ExactRange; hasTimes: boolean; onRange(range: ExactRange): void }) {
  const t = useTranslations('range')
  const { timeZone } = useFormat()
  const [fault, setFault] = useState<string>()
  const type = hasTimes ? 'datetime-local' : 'date'
  // the last day is meant as a whole
  const [from, to] = [wallTime(range.from, timeZone), wallTime(hasTimes ? range.to : range.to - 1, timeZone)]
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const values = new FormData(event.currentTarget)
    const [first, last] = [String(values.get('from')), String(values.get('to'))]
    const at = (wall: string) => instantOf(hasTimes ? wall : `${wall}T00:00`, timeZone).getTime()
    const own = { from: at(first), to: at(hasTimes ? last : addDays(last, 1)) }
    if (own.from >= own.to) setFault(t('reversed'))
    else onRange(own)
  }
  const cut = (wall: string) => wall.slice(0, hasTimes ? 16 : 10)
  return (
    <form className="flex flex-wrap items-end gap-2 max-md:col-span-2" onSubmit={submit} aria-label={t('own')}>
      <TextField
        label={t('from')}
        name="from"
        type={type}
        required
        max={cut(wallTime(Date.now(), timeZone))}
        defaultValue={cut(from)}
      />
      <TextField label={t('to')} name="to" type={type} required defaultValue={cut(to)} fault={fault} />
      <Button type="submit">{t('show')}</Button>
    </form>
  )
}
