import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

/** Keys that never reach a log line, wherever a library puts them. */
const SECRET_KEYS = ['password', 'api_key', 'apiKey', 'token', 'authorization', 'x-api-key', 'private_key', 'privateKey']

/** JSON lines with UTC times, secrets left out. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const paths = SECRET_KEYS.flatMap((key) => [`["${key}"]`, `*["${key}"]`, `*.*["${key}"]`])
  const options = {
    level,
    base: undefined,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths, censor: '***' },
    serializers: { error: pino.stdSerializers.err },
  }
  return destination ? pino(options, destination) : pino(options)
}
