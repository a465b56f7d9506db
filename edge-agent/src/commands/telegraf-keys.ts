import { type Table, tagsOf } from './telegraf-toml.ts'

/** The value of a key that is imported; every other value says why the key is left out. */
export const IMPORTED = ''
const NO_EQUAL = 'there is no equal here'
const NO_TAGS = 'of all tags, only machine has an equal here'
const FILTER = 'filters are not applied: all fields are imported'
const SERIAL = 'of a serial line'
const NAMES = 'there are no measurements here'
const OTHER_TYPE = 'of another configuration_type: Telegraf ignores it too'
const PLANNED = 'the agent plans its requests itself: see max_gap'
const UNKNOWN = 'no known key'

/** The keys of a table: imported, or why not. */
export type Keys = Readonly<Record<string, string>>

const keys = (names: string, reason: string): Keys => Object.fromEntries(names.split(' ').map((name) => [name, reason]))

/** Keys that every input of Telegraf has. Source: its config.go, `buildInput` and `buildFilter` */
const EVERY_INPUT: Keys = {
  ...keys('interval tags', IMPORTED),
  ...keys('name_override name_prefix name_suffix', NAMES),
  ...keys('namepass namedrop namepass_separator namedrop_separator pass drop fieldpass fielddrop', FILTER),
  ...keys('fieldinclude fieldexclude tagpass tagdrop taginclude tagexclude metricpass', FILTER),
  ...keys('alias log_level precision collection_jitter collection_offset time_source startup_error_behavior', NO_EQUAL),
  ...keys('always_include_local_tags always_include_global_tags', NO_EQUAL),
}

const MODBUS: Keys = {
  ...EVERY_INPUT,
  ...keys('name slave_id controller transmission_mode timeout configuration_type workarounds', IMPORTED),
  ...keys('baud_rate data_bits parity stop_bits rs485', SERIAL),
  ...keys('busy_retries busy_retries_wait debug_connection exclude_register_type_tag', NO_EQUAL),
}
const REGISTER_LISTS = 'discrete_inputs coils holding_registers input_registers'
const METRIC_KEYS = 'metric optimization optimization_max_register_fill'

/** By configuration type. */
export const MODBUS_KEYS: Readonly<Record<string, Keys>> = {
  register: { ...MODBUS, ...keys(REGISTER_LISTS, IMPORTED), ...keys(`request ${METRIC_KEYS}`, OTHER_TYPE) },
  request: { ...MODBUS, ...keys('request', IMPORTED), ...keys(`${REGISTER_LISTS} ${METRIC_KEYS}`, OTHER_TYPE) },
  metric: {
    ...MODBUS,
    ...keys('metric', IMPORTED),
    ...keys(`${REGISTER_LISTS} request`, OTHER_TYPE),
    ...keys('optimization optimization_max_register_fill', PLANNED),
  },
}
export const WORKAROUND_KEYS: Keys = {
  ...keys('pause_between_requests max_bit_registers_per_request max_word_registers_per_request', IMPORTED),
  ...keys('one_request_per_field read_coils_starting_at_zero', PLANNED),
  ...keys('pause_after_connect close_connection_after_gather string_register_location', NO_EQUAL),
}
/** Of a request or a metric. */
export const REQUEST_KEYS: Keys = {
  ...keys('slave_id byte_order register fields tags', IMPORTED),
  ...keys('measurement', NAMES),
  ...keys('optimization optimization_max_register_fill', PLANNED),
}
export const LISTED_FIELD_KEYS: Keys = {
  ...keys('name byte_order data_type bit scale address', IMPORTED),
  ...keys('measurement', NAMES),
}
export const REQUEST_FIELD_KEYS: Keys = {
  ...keys('register name type length bit scale address omit', IMPORTED),
  ...keys('output', 'every reading is a number'),
  ...keys('measurement', NAMES),
}

const CERTIFICATES = 'the agent has a certificate of its own, and trusts servers by the command trust'
const NOT_DISCOVERED = 'there are no events here, and the command browse finds nodes'

const OPCUA: Keys = {
  ...EVERY_INPUT,
  ...keys('name endpoint request_timeout security_policy security_mode auth_method username password', IMPORTED),
  ...keys('nodes group workarounds', IMPORTED),
  ...keys('certificate private_key remote_certificate', CERTIFICATES),
  ...keys('events browse', NOT_DISCOVERED),
  ...keys('timestamp', IMPORTED),
  ...keys('timestamp_format', NO_EQUAL),
  ...keys('connect_timeout session_timeout locales client_trace optional_fields', NO_EQUAL),
}

/** Of `opcua`, which polls, and of `opcua_listener`, which subscribes. */
export const OPCUA_KEYS: Readonly<Record<'poll' | 'subscribe', Keys>> = {
  poll: {
    ...OPCUA,
    ...keys('request_workarounds', IMPORTED),
    ...keys('read_retry_timeout read_retry_count reconnect_error_threshold', NO_EQUAL),
  },
  subscribe: { ...OPCUA, ...keys('subscription_interval', IMPORTED), ...keys('connect_fail_behavior', NO_EQUAL) },
}
export const OPCUA_WORKAROUND_KEYS: Keys = keys(
  'additional_valid_status_codes use_unregistered_reads monitored_items_batch_size',
  NO_EQUAL,
)
const NODE_ID = 'namespace namespace_uri identifier_type default_tags tags'
const SAMPLING = 'the poll interval sets it'
export const GROUP_KEYS: Keys = {
  ...keys(`nodes ${NODE_ID}`, IMPORTED),
  ...keys('name', NAMES),
  ...keys('sampling_interval', SAMPLING),
}
export const NODE_KEYS: Keys = keys(`name id identifier monitoring_params ${NODE_ID}`, IMPORTED)
export const MONITORING_KEYS: Keys = {
  ...keys('data_change_filter', IMPORTED),
  ...keys('sampling_interval queue_size discard_oldest', SAMPLING),
}
export const FILTER_KEYS: Keys = { ...keys('deadband_type deadband_value', IMPORTED), ...keys('trigger', NO_EQUAL) }

/** The keys of one input that are not imported, for a note of each reason. */
export class LeftOutKeys {
  readonly #byReason = new Map<string, Map<string, number>>()

  /** @param path of the table within the input, such as `request.` */
  check(table: Table, known: Keys, path = ''): void {
    for (const key of Object.keys(table)) {
      const reason = Object.hasOwn(known, key) ? (known[key] as string) : UNKNOWN
      if (reason !== IMPORTED) this.add(`${path}${key}`, reason)
    }
  }

  checkTags(tags: unknown, path: string): void {
    for (const key of Object.keys(tagsOf(tags))) if (key !== 'machine') this.add(`${path}${key}`, NO_TAGS)
  }

  add(key: string, reason: string): void {
    const counts = this.#byReason.get(reason) ?? new Map<string, number>()
    this.#byReason.set(reason, counts.set(key, (counts.get(key) ?? 0) + 1))
  }

  /** @param input such as `modbus meter` */
  notes(input: string): string[] {
    return Array.from(this.#byReason, ([reason, counts]) => {
      const list = Array.from(counts, ([key, count]) => (count === 1 ? key : `${key} (${count} times)`))
      return `${input}: left out: ${list.join(', ')} (${reason})`
    })
  }
}
