export { enqueueMail, type Recipient } from './enqueue-mail.ts'
export { keepMailsTidy, startMailing } from './send-mails.ts'
