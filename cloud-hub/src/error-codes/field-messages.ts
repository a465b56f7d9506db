/**
 * Every code of a field error with its English message, which continues the path of the field: "body.name is required". The names in
 * braces are the parameters. Codes are never renamed or reused, because clients decide and translate by them.
 */
export const FIELD_MESSAGES = {
  // presence and type
  required: 'is required',
  empty: 'must not be empty',
  must_be_absent: 'must be absent',
  wrong_type: 'must be a JSON value of type {expected}',
  not_finite: 'must be a finite number',
  one_of: 'must be one of {values}',
  unknown_value: 'is not known; known are {values}',
  unknown_setting: 'is not a known setting',
  repeated: 'must be given once',
  exclusive: 'cannot be combined with {other}',
  one_of_two: 'give either {one} or {other}',
  immutable: 'is {value} and never changes',
  invalid: '{message}',
  // sizes and ranges
  max_characters: 'must have at most {limit} characters',
  min_characters: 'must have at least {limit} characters',
  max_items: 'must hold at most {limit} items',
  min_items: 'must hold at least {limit} items',
  at_most: 'must be at most {limit}',
  at_least: 'must be at least {limit}',
  more_than: 'must be more than {limit}',
  less_than: 'must be less than {limit}',
  max_bytes: 'may have at most {bytes} bytes',
  max_matches: 'more than {limit} match: narrow the range',
  max_days_ahead: 'must be at most {days} days away',
  max_range_days: 'the range may span at most {days} days',
  max_days: 'lasts more than {days} days',
  year_range: 'lies outside the years {first} to {last}',
  too_much_to_evaluate: 'there are too many readings to evaluate in one request: shorten the period, or name a machine',
  too_many_points: 'there are more than {limit} raw points: give an interval, or a shorter range',
  // text
  unstorable_text: 'must not contain NUL or lone surrogates',
  nested_too_deeply: 'is nested too deeply',
  control_characters: 'must be one line without control characters',
  contains_colon: 'must not contain a colon',
  no_letter_or_digit: 'must hold a letter or a digit',
  weak_password: 'must hold an upper-case letter, a lower-case letter and a digit',
  // formats
  invalid_uuid: 'must be a UUID',
  invalid_email: 'must be an e-mail address',
  email_too_long: 'must have at most {limit} bytes',
  invalid_url: 'must be a URL',
  url_with_credentials: 'A URL must not contain a user name or password.',
  https_required: 'The URL must begin with https://.',
  url_with_query: 'must have neither query nor fragment',
  invalid_path: 'must be a path below base_url',
  invalid_host: 'is not a host name or address',
  invalid_address_range: 'must be an address or a CIDR range such as 192.0.2.0/24',
  host_not_public: 'is not on the public Internet',
  invalid_domain: 'must be a domain such as example.com',
  invalid_time_zone: 'must be an IANA time zone such as Europe/Berlin',
  invalid_language_tag: 'must be a language tag such as en or de-AT',
  invalid_color: 'must be a colour such as #336699',
  invalid_phone: 'must be a telephone number',
  invalid_sms_sender: 'must be a number such as +4915112345678, a sender name, or a messaging service (MG...)',
  invalid_date: 'must be a date such as 2026-01-31',
  invalid_date_time: 'must be an ISO 8601 date or datetime such as 2026-01-31 or 2026-01-31T12:00:00Z',
  invalid_time_of_day: 'must be a time of day such as 06:00:00',
  year_out_of_range: 'must be in the year 1000 or later',
  invalid_key: 'is no valid key',
  invalid_cursor: 'is no cursor of this list with these filters: begin without one',
  invalid_credential: 'does not have the form that the service uses',
  invalid_certificates: 'must be one or more certificates in PEM (-----BEGIN CERTIFICATE-----), without a private key',
  invalid_header: 'the header {name} has a name or value that HTTP does not allow',
  reserved_header: 'the header {name} is set by Haltless: remove it',
  duplicate_header: 'the header {name} is there twice: case makes no difference',
  invalid_field_name: 'must be a field name: letters, digits and _, not beginning with a digit',
  // times
  not_after: 'must be after {other}',
  not_before: 'must be before {other}',
  not_in_past: 'must be in the past',
  not_in_future: 'must be in the future',
  in_future: 'must not be in the future',
  outside_record: 'must lie inside the record: after its start and before its end',
  duplicate_date: 'must name each date once',
  unsupported_recurrence: 'repeats in another way than yearly on the same date: export single dates',
  not_whole_days: 'is not an event of whole days',
  // values that do not fit what they refer to
  equal_thresholds: 'must differ from warning_threshold: above it the rule detects high values, below it low ones',
  inactive_reason_code: 'is an inactive reason code',
  inactive_user: 'names a user who is deactivated or has not accepted the invitation',
  unknown_role: 'is not a role of this tenant; GET /api/v1/settings/roles lists the keys',
  other_machine: 'is an alert of another machine',
  other_work_order: 'is not an attachment of this work order',
  not_a_site: 'is a group, but not of type site',
  sites_only: 'only a group of type site has one',
  own_branch: 'is this record itself or one below it',
  duplicate_series: 'has the same metric and unit as {other}',
  unknown_field: 'is no field of Haltless. Known are {values}',
  duplicate_field: 'leads to {name}, as {other} does: each field needs a name of its own',
  needed_field: 'cannot be left out: records are found again by it',
  endless_recurrence: 'can only become null, which ends the series; create a series with the other rule',
  secret_masked: 'is masked, and no value is stored: enter it',
  secret_of_other_address: 'was entered for another address: enter it again, or delete it with null',
  shared_issuer: "is not possible with trust_email: {issuer} serves many organisations, so its addresses may be anybody's",
  unproven_domain: 'needs a proven domain: prove it with POST /api/v1/auth/sso/config/verify-domain first',
  // uploads and rows of files
  single_file_only: 'must be the only file of the form: send one request for each file',
  too_many_cells: 'has more cells than the header has columns',
  machine_exists: 'duplicate machine_identifier: a machine has it already',
  repeated_row: 'duplicate machine_identifier: line {line} has it already',
  no_place_for_machine: 'your tenant may have {limit} active machines, and has no place left',
  file_empty: 'The file is empty.',
  file_damaged: 'The file could not be read.',
  row_too_long: 'A row is too long; perhaps a quote (") is opened and never closed.',
  file_too_complex: 'The file is too large or needs too much memory.',
  file_kind: 'The file is neither CSV nor XLSX.',
  file_old_excel: 'The file is an old .xls workbook or has a password: save it as .xlsx or CSV.',
  file_open_quote: 'A quote (") is opened and never closed.',
  file_max_rows: 'The file has more than {limit} rows: split it into several files.',
  file_missing_columns: 'The first line must name the columns {columns}.',
  file_repeated_column: 'The first line names the column {column} twice.',
  file_no_calendar: 'The file is not an iCalendar file.',
  file_many_days: 'a tenant has at most {limit} non-production days',
} as const

export type FieldErrorCode = keyof typeof FIELD_MESSAGES
/** `limit` and `name` for the text `at most {limit}, as {name}`. */
type Names<Text> = Text extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
export type FieldParams<Code extends FieldErrorCode> = Record<Names<(typeof FIELD_MESSAGES)[Code]>, string | number>

/**
 * The parameters of a code, and a sentence that says more than the message of the code, where one is needed: the code and the
 * parameters must tell the same without it.
 */
export type MessageDetails<Code extends FieldErrorCode> = [Names<(typeof FIELD_MESSAGES)[Code]>] extends [never]
  ? [params?: Record<string, never>, message?: string]
  : [params: FieldParams<Code>, message?: string]

/** What is wrong with a value, without the place of the value. */
export interface FieldMessage {
  code: FieldErrorCode
  params: Record<string, string | number>
  /** in English; it continues the path of the field */
  message: string
}

export function fieldMessage<Code extends FieldErrorCode>(
  code: Code,
  ...[params = {}, message]: MessageDetails<Code>
): FieldMessage {
  const values = params as Record<string, string | number>
  return {
    code,
    params: values,
    message: message ?? FIELD_MESSAGES[code].replace(/\{(\w+)\}/g, (_, name) => String(values[name])),
  }
}
