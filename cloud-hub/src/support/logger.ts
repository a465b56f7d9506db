import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

/** Writes JSON lines to standard output. Fields whose names suggest a secret are redacted. */
export function createLogger(level: string, to?: DestinationStream): Logger {
  const secrets = ['password', 'secret', 'token', 'authorization', 'cookie', 'config', '["x-api-key"]']
  return pino(
    {
      level,
      base: undefined,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: [...secrets, ...secrets.map((s) => (s.startsWith('[') ? `*${s}` : `*.${s}`))], censor: '***' },
    },
    to ?? pino.destination({ dest: 1, sync: true }),
  )
}
