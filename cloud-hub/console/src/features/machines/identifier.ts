import { MACHINE_CREATE_MACHINE_IDENTIFIER_MAX_LENGTH } from '../../api/limits.ts'

const SPELLED: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', ł: 'l', ø: 'o', æ: 'ae' }

/** The identifier that a machine of this name may have: `Kühlpumpe 3` gives `kuehlpumpe-3`. */
export const identifierOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[äöüßłøæ]/g, (letter) => SPELLED[letter] ?? '')
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, MACHINE_CREATE_MACHINE_IDENTIFIER_MAX_LENGTH)
    .replace(/^-|-$/g, '')
