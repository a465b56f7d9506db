export { notifyAssignees } from './enqueue.ts'
export { purgeReminders, queueReminders } from './remind.ts'
export { purgeWorkMessages, sendWorkMessages } from './send.ts'
