import type { ReactNode } from 'react'

/** The actions of a page on a phone: they stay at the bottom, above the menu, in reach of a thumb. */
export const ActionBar = ({ label, children }: { label: string; children: ReactNode }) => (
  <div
    role="toolbar"
    aria-label={label}
    data-action-bar
    className="no-print fixed inset-x-0 bottom-[calc(3.75rem+env(safe-area-inset-bottom))] z-30 grid grid-cols-2 gap-2 border-t border-line bg-paper p-2 *:w-full [&>:last-child:nth-child(odd)]:col-span-2"
  >
    {children}
  </div>
)
