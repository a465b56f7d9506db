import type { TenantScope } from '../../../db/scope.ts'
import { fieldMessage } from '../../../error-codes/field-messages.ts'
import { fieldError, type RowError, rowError, Unprocessable } from '../../../support/errors.ts'
import { findUnstorableText } from '../../../support/http/body.ts'
import { CalendarDate } from '../../../support/http/shapes.ts'
import { decodeText, readCsv, UnreadableFile } from '../../plant/machines/index.ts'
import { addDays } from './plant-settings.ts'
import { type FoundDay, readCalendar } from './read-calendar.ts'

const MAX_ROWS = 2_000
const MAX_NAME = 200

export interface DaysImport {
  totalRows: number
  errors: RowError[]
}

/** The rows of a CSV file with the columns `date` and `name`. @throws UnreadableFile */
function readRows(bytes: Buffer): FoundDay[] {
  const [header, ...rows] = readCsv(bytes).filter(({ cells }) => cells.some((cell) => cell.trim() !== ''))
  const names = header?.cells.map((cell) => cell.trim().toLowerCase()) ?? []
  const [date, name] = [names.indexOf('date'), names.indexOf('name')]
  if (date < 0 || name < 0)
    throw new UnreadableFile(
      fieldMessage('file_missing_columns', { columns: 'date, name' }, 'The first line must name the columns date and name.'),
    )
  return rows.map(({ line, cells }) => {
    const given = cells[date]?.trim() ?? ''
    if (!CalendarDate.safeParse(given).success)
      return { line, error: fieldError('date', 'invalid_date', {}, 'must be a date such as 2026-12-25') }
    return { line, days: [{ date: given, name: cells[name]?.trim() ?? '' }] }
  })
}

/** Refuses names that the API would refuse. */
function checkName(found: FoundDay): FoundDay {
  if ('error' in found) return found
  const name = found.days[0]?.name ?? ''
  const bad = findUnstorableText({ name }, 'row')
  if (bad) return { line: found.line, error: { ...bad, path: 'name' } }
  if (found.days.length > 0 && name === '') return { line: found.line, error: fieldError('name', 'empty') }
  if ([...name].length > MAX_NAME) return { line: found.line, error: fieldError('name', 'max_characters', { limit: MAX_NAME }) }
  return found
}

/**
 * Adds the days of a CSV or iCalendar file to those of a site, or of all sites. A date that is among them already gets the new name; of two rows with
 * one date the first counts.
 * @throws Unprocessable for an unreadable file, or for more days than a tenant may have; as {@link addDays} for the group
 */
export async function importDays(scope: TenantScope, file: Buffer, groupId?: string): Promise<DaysImport> {
  const found = readFile(file, scope.clock.now().getUTCFullYear()).map(checkName)
  const names = new Map<string, string>()
  for (const each of found)
    if ('days' in each) for (const { date, name } of each.days) if (!names.has(date)) names.set(date, name)
  await addDays(
    scope,
    [...names].map(([date, name]) => ({ date, name })),
    groupId,
  )
  return {
    totalRows: found.length,
    errors: found.flatMap((each) => ('error' in each ? [rowError(each.line, [each.error])] : [])),
  }
}

function readFile(file: Buffer, thisYear: number): FoundDay[] {
  try {
    const isCalendar = /^\s*BEGIN:VCALENDAR/i.test(
      file
        .subarray(0, 200)
        .toString('latin1')
        .replace(/^\xef\xbb\xbf/, ''),
    )
    const found = isCalendar
      ? readCalendar(
          decodeText(file)
            .replace(/^\ufeff/, '')
            .trimStart(),
          thisYear,
        )
      : readRows(file)
    if (found.length > MAX_ROWS) throw new UnreadableFile(fieldMessage('file_max_rows', { limit: MAX_ROWS }))
    return found
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    throw new Unprocessable([{ path: 'body.file', ...error.fault }], 'file_unreadable')
  }
}
