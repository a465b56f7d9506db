import type { Language } from '@haltless/protocol/languages'
import type { MailContent } from '../../support/mail-layout.ts'
import type { MailTemplate, MailTexts, QueuedParams } from './mail-params.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'

const TEXTS: Record<Language, MailTexts> = { en, de }

export const mailContentOf = <T extends MailTemplate>(template: T, locale: Language, params: QueuedParams<T>): MailContent =>
  TEXTS[locale][template](params)

export const isTemplate = (name: string): name is MailTemplate => Object.hasOwn(en, name)
