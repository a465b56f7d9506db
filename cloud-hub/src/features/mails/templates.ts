import type { Language } from '@haltless/protocol/languages'
import type { MailContent } from '../../support/mail-layout.ts'
import type { MailTemplate, MailTexts, QueuedParams } from './mail-params.ts'
import { de } from './texts/de.ts'
import { en } from './texts/en.ts'

const TEXTS: Record<Language, MailTexts> = { en, de }

export const mailContentOf = <T extends MailTemplate>(template: T, locale: Language, params: QueuedParams<T>): MailContent =>
  TEXTS[locale][template](params)

/** Of this version: a newer hub beside it may queue others, which are left to it. */
export const TEMPLATES = Object.keys(en) as MailTemplate[]
export const isTemplate = (name: string): name is MailTemplate => Object.hasOwn(en, name)
