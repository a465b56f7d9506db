/** The readings of some series of one tenant, from an instant (Unix ms) to another (exclusive). */
export interface Range {
  tenantId: string
  seriesIds: readonly number[]
  from: number
  until: number
}
