/**
 * What a tenant can have only so much of, with the limit that holds unless the operator sets another one. A new kind is a line here and a line
 * in `migrations/functions/count_use.sql`; the migration counts what exists.
 *
 * No plant reaches the defaults: the largest that we measured has 10,000 machines, 200,000 series and two rules a machine.
 */
export const LIMITS = {
  /** active ones */
  machines: { standard: 20_000, noun: 'active machines' },
  /** 100 a machine */
  series: { standard: 2_000_000, noun: 'series' },
  /** threshold and composite rules, 5 a machine */
  rules: { standard: 100_000, noun: 'rules' },
  /** without the browsers of users, which have a limit of their own */
  channels: { standard: 1_000, noun: 'notification channels' },
  /** active and invited ones, and service accounts */
  users: { standard: 10_000, noun: 'active users and open invitations' },
  /** personal ones and those of service accounts */
  tokens: { standard: 1_000, noun: 'active access tokens' },
  /** of uploads too; the setting ATTACHMENT_TENANT_BYTES replaces this default */
  attachment_bytes: { standard: 10_737_418_240, noun: 'bytes of attachments' },
  /** of the last 24 hours; with the largest answers 7 GB */
  idempotency_keys: { standard: 100_000, noun: 'idempotency keys within 24 hours' },
} as const satisfies Record<string, { standard: number; noun: string }>

export type LimitKind = keyof typeof LIMITS
export const LIMIT_KINDS = Object.keys(LIMITS) as [LimitKind, ...LimitKind[]]

/** The largest limit that can be set. */
export const MAX_LIMIT = 1_000_000_000_000_000
/** At this part of a limit its use is shown as high, to admins and to the operator. */
export const NEAR = 0.9

/** The limits that the operator has set for a tenant: null is none, a missing kind has the default. */
export type OwnLimits = Readonly<Record<string, number | null>>
/** The defaults of this hub; null is no limit. */
export type Standards = Readonly<Record<LimitKind, number | null>>

/** @param attachmentBytes the setting ATTACHMENT_TENANT_BYTES; 0: no limit */
export const standardsOf = (attachmentBytes: number): Standards => ({
  ...(Object.fromEntries(LIMIT_KINDS.map((kind) => [kind, LIMITS[kind].standard])) as Record<LimitKind, number>),
  attachment_bytes: attachmentBytes || null,
})

/** @returns null for no limit */
export function limitOf(kind: LimitKind, own: OwnLimits, standard: number | null = LIMITS[kind].standard): number | null {
  const set = own[kind]
  return set === undefined ? standard : set
}
