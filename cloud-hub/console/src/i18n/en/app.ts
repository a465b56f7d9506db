import { agents } from './agents.ts'
import { alerts } from './alerts.ts'
import { audit } from './audit.ts'
import { downtime } from './downtime.ts'
import { erp } from './erp.ts'
import { groups } from './groups.ts'
import { lists } from './lists.ts'
import { machines } from './machines.ts'
import { maintenance } from './maintenance.ts'
import { notes } from './notes.ts'
import { operations } from './operations.ts'
import { overview } from './overview.ts'
import { readings } from './readings.ts'
import { rules } from './rules.ts'
import { settings } from './settings.ts'
import { shell } from './shell.ts'
import { sources } from './sources.ts'
import { tags } from './tags.ts'
import { updates } from './updates.ts'
import { work } from './work.ts'

/** Texts of the pages behind the sign-in. */
export const en = {
  ...maintenance,
  ...notes,
  ...updates,
  ...lists,
  ...work,
  ...overview,
  ...readings,
  ...machines,
  ...operations,
  ...alerts,
  ...agents,
  ...audit,
  ...groups,
  ...shell,
  ...erp,
  ...sources,
  ...downtime,
  ...rules,
  ...settings,
  ...tags,
}
