import type { en } from './en/refusals.ts'
import { ERP_PATTERNS } from './erp-patterns.ts'

type Sentence = keyof (typeof en)['hubText']
type Values = Record<string, string>

const NUMBER = String.raw`(?<limit>-?[\d.,]+)`

/**
 * Sentences of the hub that carry no code: what is wrong with a field, a row, a file or a receiver, and how updates of agents went.
 * A sentence that is not here is shown as the hub wrote it.
 */
const SENTENCES: readonly (readonly [RegExp, Sentence])[] = (
  [
    ['This is not a valid URL\\.|The URL contains no valid host name\\.|A URL .*', 'url'],
    ['The URL must begin with https://\\.', 'https'],
    ['is not on the public Internet|The URL leads to an address that is not on the public Internet\\.', 'notPublic'],
    ['The name (?<host>\\S+) cannot be resolved\\.', 'unresolved'],
    ['agent (?<agent>\\S+) polls this source, and has not reported yet\\.?', 'agentUnheard'],
    ['agent (?<agent>\\S+) polls this source, and last reported at (?<at>\\S+Z)\\.?', 'agentOffline'],
    ['agent (?<agent>\\S+) does not support sources from the hub.*', 'agentOutdated'],
    ['agent (?<agent>\\S+) could not apply its newest settings: (?<reason>.*)', 'agentSettings'],
    ['there is no active machine with the identifier (?<machine>.+?): create it.*', 'noMachine'],
    ['the source is not active.*', 'sourceInactive'],
    ['its version (?<version>\\S+) (?:does not take updates from the hub|cannot be compared|is older than \\S+)', 'skipOld'],
    ['it has version (?<version>\\S+)', 'skipSame'],
    ['there is no archive for (?<platform>\\S+)', 'skipPlatform'],
    ['it was retired', 'skipRetired'],
    ['it was not installed from a package', 'notPackaged'],
    ['its package has no key for updates', 'noUpdateKey'],
    ['updates\\.enabled is false in its settings', 'updatesOff'],
    ['data_dir is not (?<folder>\\S+)', 'otherFolder'],
    ['nothing was heard of it for an hour.*', 'silentUpdate'],
    [`it has been \\w+ for ${NUMBER} hours.*`, 'stuckUpdate'],
    [`within ${NUMBER} minutes: collectors deliver nothing any more: (?<reason>.*)`, 'notDelivering'],
    ['(?<agent>[\\w.-]+): (?<reason>(?:within|it|its|nothing|there) .*)', 'agentSays'],
    ['The connection was refused.*', 'refusedConnection'],
    ['The host is unreachable.*', 'noRoute'],
    ['The host does not respond\\.', 'noResponse'],
    ['The receiver accepted the test\\.', 'receiverAccepted'],
    ['The test failed: (?<reason>.*)', 'testFailed'],
    ['the receiver answered (?<status>40[13]), .*', 'answeredDenied'],
    ['the receiver answered (?<status>\\d+)[^:]*', 'answered'],
    ['the receiver answered (?<status>\\d+): (?<reason>.*)', 'answeredBecause'],
    ...ERP_PATTERNS,
  ] as const
).map(([pattern, sentence]) => [new RegExp(`^(?:${pattern})$`, 'i'), sentence])

/** @returns which sentence this is, with its values; null where it is none of them */
export function recognize(text: string): { sentence: Sentence; values: Values } | null {
  for (const [pattern, sentence] of SENTENCES) {
    const found = pattern.exec(text)
    if (!found) continue
    const groups: Record<string, string | undefined> = found.groups ?? {}
    const values = Object.fromEntries(Object.entries(groups).filter((it): it is [string, string] => it[1] !== undefined))
    return { sentence, values }
  }
  return null
}
