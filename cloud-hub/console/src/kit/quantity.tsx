import { Fragment } from 'react'

/** A sign, digits, and what separates them in any of our locales. */
const NUMBER = /([-−+]?\d+(?:[.,’'\u00a0\u202f]\d+)*)/

/** A formatted value in large type, such as "82.5 dB" or "3 h 20 min": its numbers large, its units quiet. */
export function Quantity({ children: text }: { children: string }) {
  const parts = text.split(NUMBER)
  if (parts.length === 1) return text
  return parts.map((part, place) =>
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts have no identity
    place % 2 === 1 ? <Fragment key={place}>{part}</Fragment> : part ? <UnitText key={place} text={part} /> : null,
  )
}

const UnitText = ({ text }: { text: string }) => (text.trim() ? <span className="quiet-unit">{text}</span> : text)
