import type { TenantScope } from '../../../db/scope.ts'
import { routeFor } from '../../../support/http/route.ts'
import { importDays } from './import-days.ts'
import { changePlantSettings, plantSettings } from './plant-settings.ts'
import { DaysImported, ImportQuery, PlantQuery, PlantSettings, PlantSettingsPatch } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Authentication and account'

export const plantSettingsRoutes = () => [
  route(
    {
      method: 'get',
      path: '/settings/plant',
      operation: 'getPlantSettings',
      access: 'any',
      tag,
      summary: 'Settings of the plant',
      description:
        'What concerns the plant as a whole and all users of the tenant. A site may have a time zone (`/machine-groups`), shift definitions and non-production days of its own; days of all sites have no `group_id`.',
      query: PlantQuery,
      returns: PlantSettings,
    },
    ({ scope, query }) => plantSettings(scope, query.group_id),
  ),
  route(
    {
      method: 'patch',
      path: '/settings/plant',
      operation: 'updatePlantSettings',
      access: 'admin',
      tag,
      summary: 'Change settings of the plant; what is not named stays',
      description:
        'A new time zone holds for series of maintenance that are created or moved from now on, and for shifts that start from now on; what exists keeps its times. `non_production_days` replaces all days, those of sites too: send each with its `group_id`. With `auto_shift_logs` the shifts in progress start at once.',
      body: PlantSettingsPatch,
      returns: PlantSettings,
      refuses: { 404: ['machine_group_not_found'] },
    },
    ({ scope, body }) => changePlantSettings(scope, body),
  ),
  route(
    {
      method: 'post',
      path: '/settings/plant/non-production-days/import',
      operation: 'importNonProductionDays',
      access: 'admin',
      tag,
      summary: 'Import holidays from a CSV or iCalendar file',
      description:
        'Adds the days of a file to those of a site, or of all sites, up to 2,000 rows: CSV with the columns `date` and `name`, or an iCalendar file (RFC 5545) whose events last whole days, once or yearly on the same date (for 10 years, from last year or from a later first one). A date that is among them already gets the new name, and of two rows with one date the first counts. Rows that cannot be read are reported and do not stop the others.',
      upload: {
        field: 'file',
        maxBytes: 1_000_000,
        description: 'The CSV or iCalendar file.',
        example: 'date,name\n2026-12-25,Christmas Day\n',
      },
      query: ImportQuery,
      returns: DaysImported,
      status: 200,
      refuses: { 404: ['machine_group_not_found'], 422: ['file_unreadable'] },
    },
    async ({ scope, query, file }) => {
      const { totalRows, errors } = await importDays(scope, file.bytes, query.group_id)
      return { total_rows: totalRows, success_count: totalRows - errors.length, failed_count: errors.length, errors }
    },
  ),
]
