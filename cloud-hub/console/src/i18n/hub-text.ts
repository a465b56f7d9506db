import type { en } from './en/refusals.ts'
import { ERP_PATTERNS } from './erp-patterns.ts'
import { RECORD_PATTERNS } from './record-patterns.ts'

type Sentence = keyof (typeof en)['hubText']
type Values = Record<string, string>

const NUMBER = String.raw`(?<limit>-?[\d.,]+)`

/**
 * Sentences of the hub that carry no code: what is wrong with a field, a row, a file or a receiver, and how updates of agents went.
 * A sentence that is not here is shown as the hub wrote it.
 */
const SENTENCES: readonly (readonly [RegExp, Sentence])[] = (
  [
    ['is required.*|must not be empty|must hold a letter or a digit', 'required'],
    ['must be a text(?:, not .*)?', 'notText'],
    ['must be a (?:finite )?number(?:, not .*)?', 'notNumber'],
    ['must be a whole number(?: of hours)?', 'notWhole'],
    ['must be a number of minutes', 'notWhole'],
    ['must be true or false(?:, not .*)?', 'notBoolean'],
    ['must be (?:a list|an object)(?:, not .*)?', 'notList'],
    ['must be a UUID|must be three digits, such as 100|is not a role of this tenant.*', 'notValid'],
    ['must be (?:one of )?(?<values>[\\w/°%.-]+(?:(?:, | or )[\\w/°%.-]+)+)', 'oneOf'],
    [`must have at most ${NUMBER} characters`, 'maxCharacters'],
    [`must have at least ${NUMBER} characters`, 'minCharacters'],
    [
      `(?:must|may) (?:hold|have|name) at most ${NUMBER} (?!bytes)\\w+|a tenant has at most ${NUMBER.replace('limit', 'days')} .*`,
      'maxItems',
    ],
    [`must (?:hold|have|name) at least (?<limit>[\\d.,]+|one) \\w+`, 'minItems'],
    [`must be at most ${NUMBER} days (?:away|ahead)`, 'horizon'],
    [`must be at most ${NUMBER} days .*|the range may (?:span|cover) at most ${NUMBER.replace('limit', 'days')} days`, 'span'],
    [`must be at most ${NUMBER}(?:,.*)?`, 'atMost'],
    [`must be at least ${NUMBER}`, 'atLeast'],
    [`must be (?:more than|above) ${NUMBER}(?: .*)?`, 'moreThan'],
    [`must be less than ${NUMBER}`, 'lessThan'],
    ['may have at most (?<bytes>\\d+) bytes', 'maxBytes'],
    [`The file has more than ${NUMBER} (?:rows|lines).*`, 'maxRows'],
    ['must hold an upper-case letter.*', 'password'],
    ['must be an e-mail address', 'email'],
    ['This is not a valid URL\\.|The URL contains no valid host name\\.|A URL .*', 'url'],
    ['The URL must begin with https://\\.', 'https'],
    ['is not on the public Internet|The URL leads to an address that is not on the public Internet\\.', 'notPublic'],
    ['The name (?<host>\\S+) cannot be resolved\\.', 'unresolved'],
    ['is not a host name or address', 'host'],
    ['must be a domain such as .*', 'domain'],
    ['is not possible with trust_email: (?<issuer>.+) serves many organisations.*', 'sharedIssuer'],
    ['needs a proven domain.*', 'unprovenDomain'],
    ['must be an IANA time zone.*', 'timeZone'],
    ['must be a colour.*', 'color'],
    ['must be a telephone number|must be a number such as \\+49.*', 'phone'],
    ['must be a date such as .*|must be an ISO 8601 .*|must be in the year .*', 'date'],
    ['must be a time of day.*', 'timeOfDay'],
    ['must name each date once', 'twoDates'],
    ['must be after \\w+|must not be before from_date', 'afterBegin'],
    ['must not be in the future.*', 'notFuture'],
    ['must be in the future', 'future'],
    ['must be before end, and in the past|must be in the past.*', 'past'],
    ['must lie inside the record.*', 'insideRecord'],
    ['must differ from warning_threshold.*', 'sameThresholds'],
    ['is an inactive reason code.*', 'inactiveReason'],
    ['names a user who is deactivated.*', 'inactiveUser'],
    ['is an alert of another machine', 'otherMachine'],
    ['is this (?:group|code) itself or one below it', 'ownBranch'],
    ['was entered for another .*', 'enterAgain'],
    ['is masked, and no value is stored.*', 'enterMasked'],
    ['.*(?:header name|header value|value of the header).*', 'headerName'],
    ['is set by Haltless', 'headerReserved'],
    ['is there twice.*', 'headerTwice'],
    ['must be a field name.*|is no field of Haltless.*', 'fieldName'],
    ['leads to .* each field needs a name of its own', 'fieldTwice'],
    ['cannot be left out.*', 'fieldNeeded'],
    ['must be one or more certificates.*', 'certificates'],
    [
      'must be (?:a token|an API key|an account SID|the integration key|the key of|the name of a table|the id or a domain|base64).*',
      'token',
    ],
    ['This address was invited less than a minute ago.*', 'invitedNow'],
    [`This address has received ${NUMBER} invitations.*`, 'addressLimit'],
    [`Your tenant has sent ${NUMBER} invitations.*`, 'companyLimit'],
    ['The file is an old \\.xls.*', 'fileOldExcel'],
    ['The file is neither CSV nor XLSX.*', 'fileKind'],
    ['A quote .* is opened and never closed\\.', 'fileQuote'],
    ['The file is (?:not a valid XLSX|not valid CSV).*|The file could not be read.*', 'fileDamaged'],
    [
      'The workbook (?:has too many|is too large|declares).*|The file needs too much memory.*|The sheet uses the cell.*',
      'fileTooBig',
    ],
    ['The file is empty\\.', 'fileEmpty'],
    ['The first line names no column (?<columns>[^.]+)\\..*|The first line must name the columns (?<names>.*)\\.', 'fileColumns'],
    ['The first line names the column (?<columns>\\S+) twice\\.', 'fileColumnTwice'],
    ['The file is not an iCalendar file\\.|The calendar ends inside an event.*', 'fileCalendar'],
    ['duplicate machine_identifier: a machine has it already', 'rowTaken'],
    ['duplicate machine_identifier: line (?<line>\\d+) has it already', 'rowRepeated'],
    ['has more cells than the header has columns', 'rowCells'],
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
    ['The ERP answers\\.', 'erpAnswers'],
    ['The ERP refuses the record \\(status (?<status>\\d+)\\)\\.\\s*(?<reason>.*)', 'erpRefuses'],
    ['The ERP failed on this record \\(status (?<status>\\d+)\\)\\.\\s*(?<reason>.*)', 'erpFailed'],
    ['The ERP returned no answer for this record\\.', 'erpNoAnswer'],
    ['The ERP has no record (?<id>.+?) any more.*', 'erpGone'],
    ['The record was not sent\\.\\s*(?<reason>.*)', 'erpNotSent'],
    ['The ERP answered (?:with status )?(?<status>\\d+).*', 'erpStatus'],
    ...ERP_PATTERNS,
    ...RECORD_PATTERNS,
  ] as const
).map(([pattern, sentence]) => [new RegExp(`^(?:${pattern})$`, 'i'), sentence])

/** @returns which sentence this is, with its values; null where it is none of them */
export function recognize(text: string): { sentence: Sentence; values: Values } | null {
  for (const [pattern, sentence] of SENTENCES) {
    const found = pattern.exec(text)
    if (!found) continue
    const { days, names, bytes, ...groups } = (found.groups ?? {}) as Record<string, string | undefined>
    const values = Object.fromEntries(Object.entries(groups).filter((it): it is [string, string] => it[1] !== undefined))
    if (days) values.limit = days
    if (names) values.columns = names
    if (bytes) values.megabytes = megabytes(bytes)
    if (values.limit === 'one') values.limit = '1'
    return { sentence, values }
  }
  return null
}

/** Such as `20` for 20 MiB, and `0.5` for half of one. */
const megabytes = (bytes: string): string => String(Number((Number(bytes) / 1_048_576).toPrecision(2)))

/** Values that the text of a refusal needs, from the sentence of the hub. */
const DETAILS: Record<string, RegExp> = {
  agent_in_rollout: /has not ended: (?<agents>.+?)\. Wait/,
  no_agent_to_update: /can take this version\. \S+: (?<reason>.+)\.$/,
  rollout_state: /The rollout is (?<state>\w+)\./,
  agent_not_ready: /^(?<reason>.+)\.$/,
  file_unreadable: /^(?:body\.file: )?(?<reason>.+)$/,
  sending_limit: /^(?<reason>.+)$/,
  email_domain_not_allowed: /addresses of (?<domain>\S+) sign in/,
  payload_too_large: /at most (?<bytes>\d+) bytes/,
  attachment_quota: /may have (?<bytes>\d+) bytes/,
}

/** Values of the sentence of a refusal: those of its code, or the first number as the limit. */
export function valuesOf(code: string, detail: string): Values {
  const { bytes, ...values } = ((DETAILS[code] ?? /(?<limit>\d[\d,]*)/).exec(detail)?.groups ?? {}) as Values
  return bytes ? { ...values, megabytes: megabytes(bytes) } : { ...values }
}
