import { type KeyboardEvent, type ToggleEvent, useId, useRef, useState } from 'react'
import { Icon } from './icon.tsx'

export interface RowAction {
  text: string
  /** one of several choices, of which one holds */
  isChosen?: boolean
  isDisabled?: boolean
  onPress(): void
}

const EDGE_PX = 8

/**
 * The actions of a row behind one quiet button, in groups. The browser closes the menu at Escape and at a press beside it, and returns the
 * focus to the button; arrow keys go from one action to the next.
 */
export function RowMenu({ label, groups, children }: { label: string; groups: () => RowAction[][]; children?: string }) {
  const id = useId()
  const menu = useRef<HTMLDivElement>(null)
  const button = useRef<HTMLButtonElement>(null)
  // the actions are made when they are shown: a list has many rows
  const [isOpen, setOpen] = useState(false)
  const opened = ({ newState }: ToggleEvent) => {
    // the actions go after the menu: the browser returns the focus from one of them
    if (newState === 'closed') return setOpen(false)
    if (!menu.current || !button.current) return
    place(menu.current, button.current)
    itemsOf(menu.current)[0]?.focus({ preventScroll: true })
  }
  const close = () => menu.current?.hidePopover()
  return (
    <>
      <button
        ref={button}
        type="button"
        popoverTarget={id}
        aria-haspopup="menu"
        aria-label={label}
        className={
          children
            ? 'inline-flex min-h-9.5 items-center justify-center rounded-lg border border-control bg-paper px-3 text-sm font-medium'
            : 'inline-flex size-8 items-center justify-center rounded-lg text-soft hover:bg-line/60 hover:text-ink'
        }
      >
        {children ?? <Icon name="dots" className="size-5" />}
      </button>
      <div
        ref={menu}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        aria-label={label}
        onBeforeToggle={({ newState }) => (newState === 'open' ? setOpen(true) : undefined)}
        onToggle={opened}
        onKeyDown={move}
        className="card fixed inset-auto m-0 max-h-[min(24rem,80dvh)] min-w-44 overflow-y-auto p-1 text-left text-ink shadow-xl"
      >
        {isOpen
          ? groups().map((group, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: groups have no identity
              // biome-ignore lint/a11y/useSemanticElements: a group of actions is no fieldset
              <div key={place} role="group" className={place > 0 ? 'mt-1 border-t border-line pt-1' : ''}>
                {group.map(({ text, isChosen, isDisabled, onPress }) => (
                  <button
                    key={text}
                    type="button"
                    {...(isChosen === undefined ? { role: 'menuitem' } : { role: 'menuitemradio', 'aria-checked': isChosen })}
                    disabled={isDisabled}
                    onClick={() => {
                      close()
                      onPress()
                    }}
                    className="flex w-full items-center gap-2 rounded px-2.5 py-1.5 text-left text-sm hover:bg-raised disabled:opacity-55"
                  >
                    {isChosen === undefined ? null : <Icon name="check" className={`size-4 ${isChosen ? '' : 'invisible'}`} />}
                    {text}
                  </button>
                ))}
              </div>
            ))
          : null}
      </div>
    </>
  )
}

const itemsOf = (menu: HTMLElement) => [...menu.querySelectorAll<HTMLButtonElement>('button:enabled')]

/** Below the button, above it where that is the end of the window. */
function place(menu: HTMLElement, button: HTMLElement): void {
  const { right, top, bottom } = button.getBoundingClientRect()
  const { offsetWidth: width, offsetHeight: height } = menu
  const below = bottom + EDGE_PX / 2
  menu.style.left = `${Math.max(EDGE_PX, Math.min(right - width, innerWidth - width - EDGE_PX))}px`
  menu.style.top = `${below + height <= innerHeight ? below : Math.max(EDGE_PX, top - height - EDGE_PX / 2)}px`
}

function move(event: KeyboardEvent<HTMLElement>): void {
  const items = itemsOf(event.currentTarget)
  const at = items.indexOf(document.activeElement as HTMLButtonElement)
  const next = { ArrowDown: at + 1, ArrowUp: at - 1 + items.length, Home: 0, End: items.length - 1 }[event.key]
  if (next === undefined) return
  event.preventDefault()
  items[next % items.length]?.focus()
}
