import { isApiError } from '../api/error.ts'

export interface Versioned {
  /** absent in answers of a hub of the version before */
  version?: string | undefined
}
/** The header of a change on the condition that the record still has the version. */
export interface IfVersion {
  'If-Match'?: string
}

export const ifVersion = ({ version }: Versioned): IfVersion => (version ? { 'If-Match': `"${version}"` } : {})
export const isChangedMeanwhile = (error: unknown): boolean => isApiError(error) && error.code === 'changed_meanwhile'
