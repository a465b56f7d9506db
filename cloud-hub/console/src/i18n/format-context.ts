import { createContext, useContext } from 'react'
import type { Format } from './create-format.ts'

export const FormatContext = createContext<Format | null>(null)

/** Null on the pages of the sign-in, which load no formats. */
export const useSignedInFormat = (): Format | null => useContext(FormatContext)
