import { isApiError } from '../api/error.ts'

export interface Versioned {
  version: string
}
/** The header of a change on the condition that the record still has the version. */
export interface IfVersion {
  'If-Match': string
}

export const ifVersion = ({ version }: Versioned): IfVersion => ({ 'If-Match': `"${version}"` })
export const isChangedMeanwhile = (error: unknown): boolean => isApiError(error) && error.code === 'changed_meanwhile'
