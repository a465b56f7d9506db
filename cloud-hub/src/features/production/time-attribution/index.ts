export { attributeTime, byStart, sumByKey, type TimeInterval } from './attribute-time.ts'
