/** The readings of some series of one tenant, from an instant (Unix ms) to another (exclusive). */
export interface Range {
  tenantId: string
  seriesIds: readonly number[]
  from: number
  until: number
}

/** A series, as the store finds it. */
export interface SeriesRef {
  tenantId: string
  id: number
}

/** `before` readings at or before an instant (Unix ms), and `after` later ones. */
export interface NeighbourRequest {
  series: SeriesRef
  at: number
  before: number
  after: number
}
