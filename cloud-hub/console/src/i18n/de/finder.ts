import type { finder as en } from '../en/finder.ts'
import type { Same } from '../same.ts'

export const finder: Same<typeof en> = {
  recent: 'Zuletzt',
  noneFound: 'Nichts gefunden.',
  toFilter: 'Zum Filter der Liste',
  singleKeys: 'Kürzel mit einer Taste',
  singleKeysHint: 'Wie / oder ?. Schalten Sie sie zum Diktieren ab.',
}
