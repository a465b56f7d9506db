import { type ReactNode, useContext, useMemo } from 'react'
import { createFormat, type Format, type Preferences } from './create-format.ts'
import { FormatContext } from './format-context.ts'

export function FormatProvider({ locale, timeZone, units, children }: Preferences & { children: ReactNode }) {
  const format = useMemo(() => createFormat({ locale, timeZone, units }), [locale, timeZone, units])
  return <FormatContext value={format}>{children}</FormatContext>
}

export function useFormat(): Format {
  const format = useContext(FormatContext)
  if (!format) throw new Error('useFormat needs a FormatProvider')
  return format
}
