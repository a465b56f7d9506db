/** Line icons on a grid of 24, drawn for this console. */
const PATHS = {
  overview: 'M4 4h7v9H4zM13 4h7v5h-7zM13 11h7v9h-7zM4 15h7v5H4z',
  machine: 'M4 20V9l5 3V9l5 3V5h4l2 15zM8 16h2M14 16h2',
  alert: 'M12 4 2.5 20h19zM12 10v4M12 17v.5',
  rule: 'M3 17h6M13 17h8M3 7h10M17 7h4M9 14v6M17 4v6',
  work: 'M9 4h6v3H9zM9 5H5v16h14V5h-4M9 13l2 2 4-4',
  calendar: 'M4 6h16v15H4zM4 10h16M8 3v5M16 3v5',
  operations: 'M4 20V4M4 20h16M8 16v-5M12 16V8M16 16v-3',
  agent: 'M4 6h16v9H4zM8 20h8M12 15v5M8 10.5h.5M11.5 10.5h.5',
  exchange: 'M4 8h14M14 4l4 4-4 4M20 16H6M10 12l-4 4 4 4',
  settings:
    'M12 9a3 3 0 1 0 0 6 3 3 0 0 0 0-6M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.2 2.2M16.2 16.2l2.2 2.2M5.6 18.4l2.2-2.2M16.2 7.8l2.2-2.2',
  check: 'M5 13l4.5 4.5L19 7',
  cross: 'M6 6l12 12M18 6 6 18',
  clock: 'M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16M12 8v4l3 2',
  offline:
    'M3 3l18 18M8.5 15.5a5 5 0 0 1 7 0M5.5 12.5a9.500 9.500 0 0 1 4-2.300M2.500 9.500a14 14 0 0 1 4-2.600M11 6.100a14 14 0 0 1 10.500 3.400M16 11a9.500 9.500 0 0 1 2.500 1.500M12 19v.5',
  up: 'M6 15l6-6 6 6',
  down: 'M6 9l6 6 6-6',
  left: 'M15 6l-6 6 6 6',
  right: 'M9 6l6 6-6 6',
  search: 'M10.500 4a6.500 6.500 0 1 0 0 13 6.500 6.500 0 0 0 0-13M15.500 15.500 20 20',
  plus: 'M12 5v14M5 12h14',
  minus: 'M5 12h14',
  download: 'M12 4v11M7 11l5 5 5-5M4 20h16',
  print: 'M7 9V4h10v5M7 17H4V9h16v8h-3M7 14h10v6H7z',
  person: 'M12 4a4 4 0 1 0 0 8 4 4 0 0 0 0-8M4 20.500c1-4 4-6 8-6s7 2 8 6',
  menu: 'M4 7h16M4 12h16M4 17h16',
  edit: 'M4 20h4L19 9l-4-4L4 16zM13 7l4 4',
  dots: 'M5 11.500v1M12 11.500v1M19 11.500v1M4.500 12h1M11.500 12h1M18.500 12h1',
  pin: 'M9 4h6l-1 6 3 3v2H7v-2l3-3zM12 15v6',
  copy: 'M9 9h11v11H9zM5 15V4h11',
} as const

export type IconName = keyof typeof PATHS

/** An icon beside a text that says the same; assistive technology skips it. */
export function Icon({ name, className = 'size-5' }: { name: IconName; className?: string }) {
  return (
    <svg
      viewBox="0 0 24 24"
      className={`shrink-0 ${className}`}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}
