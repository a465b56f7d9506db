import { z } from 'zod'

const text = z.string().min(1).max(255)

/** Settings of a connection to a broker in the plant. */
export const brokerShape = {
  tls: z.boolean().default(false),
  /** PEM, of authorities to trust beside the usual ones */
  ca_file: z.string().max(1_000).regex(/^\//, 'must be an absolute path').optional(),
  username: text.optional(),
  password: z.string().max(1_000).optional(),
  /** default: one that stays the same for this agent and collector */
  client_id: z
    .string()
    .regex(/^[\w-]{1,64}$/, 'must be 1-64 of A-Z a-z 0-9 _ -')
    .optional(),
}

export interface BrokerSettings {
  tls: boolean
  ca_file?: string | undefined
  username?: string | undefined
  password?: string | undefined
  client_id?: string | undefined
}

export const brokerFaults = ({ tls, ca_file, username, password }: BrokerSettings): { path: string; message: string }[] => [
  ...(ca_file !== undefined && !tls ? [{ path: 'ca_file', message: 'counts with tls: true only' }] : []),
  ...(password !== undefined && username === undefined
    ? [{ path: 'username', message: 'is missing, and a password needs one' }]
    : []),
]

export const brokerInBundle = ({ tls, ca_file, username }: BrokerSettings) => ({
  tls,
  has_ca_file: ca_file !== undefined,
  has_user: username !== undefined,
})

/** A topic name or its part: no wildcards. Source: MQTT 3.1.1, 4.7 */
export const isTopic = (text: string): boolean => !/[+#\0]/.test(text)
