/** What a collector read off the field bus: not yet named. */
export interface Sample {
  /** the tag as the device knows it: an OPC UA node id, or `holding:100` */
  rawTag: string
  value: number
  /** only `good` ever becomes a reading */
  quality: 'good' | 'uncertain' | 'bad'
  /** Unix ms: the device's own instant where it advances, else the instant of the poll */
  timestamp: number
}
