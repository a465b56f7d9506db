export { attributeTime, byStart, type Interval, sumByKey } from './attribute-time.ts'
