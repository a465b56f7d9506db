import { Link } from '@tanstack/react-router'
import { useId, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { Icon } from '../kit/icon.tsx'
import { useMeIfKnown } from './me.tsx'
import { SignOutButton } from './sign-out-button.tsx'
import { currentTheme, setTheme, type Theme } from './theme.ts'

/** Who is signed in; pressing it opens the colours and the way out. The browser closes the panel at Escape and at a press beside it. */
export function UserMenu() {
  const t = useTranslations('userMenu')
  const { name, lines } = useWho()
  const id = useId()
  const panel = useRef<HTMLElement>(null)
  return (
    <div className="border-t border-line pt-2">
      <button
        type="button"
        popoverTarget={id}
        className="flex w-full items-center gap-2.5 rounded-lg px-2 py-1.5 text-left hover:bg-raised"
      >
        <Icon name="person" className="size-6 text-soft" />
        <span className="min-w-0 flex-1">
          {name ? <span className="sr-only">{t('menu')}: </span> : null}
          <span className="block truncate font-medium">{name ?? t('menu')}</span>
          {lines.map((line) => (
            <span key={line} className="block truncate text-sm text-soft">
              {line}
            </span>
          ))}
        </span>
        <Icon name="up" className="size-4 text-soft" />
      </button>
      <section
        ref={panel}
        id={id}
        popover="auto"
        aria-label={t('menu')}
        className="card fixed inset-auto bottom-22 left-3 m-0 w-72 p-4 text-ink shadow-xl"
      >
        <UserPanel onLeave={() => panel.current?.hidePopover()} />
      </section>
    </div>
  )
}

/** Who is signed in, the colours, and the way out. @param onLeave closes what the panel is in, for another page */
export function UserPanel({ onLeave }: { onLeave(): void }) {
  const t = useTranslations('userMenu')
  const { name, email, lines } = useWho()
  const [theme, choose] = useState(currentTheme)
  const group = useId()
  return (
    <div className="flex flex-col gap-3">
      {name ? (
        <div className="min-w-0">
          <p className="truncate font-medium">{name}</p>
          {[email, ...lines].map((line) => (
            <p key={line} className="truncate text-sm text-soft">
              {line}
            </p>
          ))}
        </div>
      ) : null}
      <fieldset>
        <legend className="mb-1 text-sm font-medium">{t('theme')}</legend>
        <div className="grid grid-cols-3 overflow-hidden rounded-lg border border-control">
          {THEMES.map((it) => (
            <label
              key={it}
              className="flex min-h-9 cursor-pointer items-center justify-center px-1 text-center text-sm font-medium has-checked:bg-brand has-checked:text-on-brand has-focus-visible:outline-2 has-focus-visible:-outline-offset-4"
            >
              <input
                type="radio"
                name={group}
                value={it}
                checked={it === theme}
                className="sr-only"
                onChange={() => {
                  setTheme(it)
                  choose(it)
                }}
              />
              {t(`themes.${it}`)}
            </label>
          ))}
        </div>
      </fieldset>
      {name ? (
        <Link to="/settings" onClick={onLeave} className="text-sm">
          {t('profile')}
        </Link>
      ) : null}
      <SignOutButton />
    </div>
  )
}

const THEMES: readonly Theme[] = ['system', 'light', 'dark']

/** The person, and the lines about company and role; empty while the hub has not said who is signed in. */
function useWho() {
  const tiers = useTranslations('roles.tiers')
  const { user, tier, roleName } = useMeIfKnown() ?? {}
  if (!user || !tier) return { lines: [] }
  return { name: user.full_name, email: user.email, lines: [user.tenant_name, roleName ?? tiers(tier)] }
}
