import type { MailContent, MailLocale } from './kit.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'

/** The mails of the hub itself, and what each needs to know. Instants are ISO 8601. */
export interface MailParams {
  invitation: { tenant: string; inviter: string; url: string; expiresAt: string }
  password_reset: { url: string; expiresAt: string }
  password_changed: { at: string; ip: string }
  email_changed: { newEmail: string; at: string }
  role_changed: { tenant: string; role: string; by: string }
  mfa_changed: { enabled: boolean; at: string }
}
export type MailTemplate = keyof MailParams
export type MailTexts = { [T in MailTemplate]: (params: MailParams[T]) => MailContent }

const TEXTS: Record<MailLocale, MailTexts> = { en, de }

export const contentOf = <T extends MailTemplate>(template: T, locale: MailLocale, params: MailParams[T]): MailContent =>
  TEXTS[locale][template](params)

export const isTemplate = (name: string): name is MailTemplate => Object.hasOwn(en, name)
