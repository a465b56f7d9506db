export { enqueueMail } from './enqueue-mail.ts'
export { EMAIL_TOGGLES, emailPrefs, enqueueIfWanted } from './preferences.ts'
export { keepMailsTidy, startMailing } from './send-mails.ts'
export type { MailParams } from './templates.ts'
