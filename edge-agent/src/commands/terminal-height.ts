const DEFAULT_ROWS = 24
/** What is not a terminal gets all rows. */
const ALL_ROWS = 10_000

/** The rows that a redrawn overview may fill. Some terminals, such as serial consoles, say that they have 0 rows: they count as 24. */
export const terminalHeight = ({ isTTY, rows }: { isTTY?: boolean; rows?: number }): number =>
  isTTY ? rows || DEFAULT_ROWS : ALL_ROWS
