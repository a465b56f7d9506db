export interface ErrorEntry {
  /** HTTP status; several where the same code is answered in several situations */
  status: number | readonly number[]
  /** a sentence: what the caller is to understand */
  meaning: string
  /** a sentence: what the caller can do about it */
  remedy: string
}
