import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, lazy, Suspense, useEffect, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../api/client.ts'
import { useFaultText } from '../i18n/fault-text.ts'
import { Dialog } from '../kit/dialog.tsx'
import { Icon } from '../kit/icon.tsx'
import { useDebounced } from '../kit/use-debounced.ts'
import type { Entry } from './entries.ts'
import { useFinderTexts } from './finder-texts.ts'
import { type Choice, type Section, useFound } from './found.ts'
import { useLocalChoices } from './local-choices.ts'
import { useMe } from './me.tsx'
import { recentChoices, rememberChoice } from './recent-choices.ts'
import { keepWithin, useSite } from './site.ts'

const AddDialog = lazy(() => import('../features/machines/add-dialog.tsx').then((it) => ({ default: it.AddDialog })))
const OrderDialog = lazy(() => import('../features/work/order-dialog.tsx').then((it) => ({ default: it.OrderDialog })))

const DEBOUNCE_MS = 150
const MAX_LENGTH = 100

/** Finds pages, actions and records by a few letters. What it opens in its place, such as the dialog of a new machine, closes it. */
export function Palette({ entries, onKeys, onClose }: { entries: readonly Entry[]; onKeys(): void; onClose(): void }) {
  const t = useTranslations('finder')
  const [opened, setOpened] = useState<Choice['dialog']>()
  if (opened)
    return <Suspense>{opened === 'machine' ? <AddDialog onClose={onClose} /> : <OrderDialog onClose={onClose} />}</Suspense>
  return (
    <Dialog title={t('title')} width="max-w-2xl" onClose={onClose}>
      <Finder entries={entries} onClose={onClose} onOpen={(dialog) => (dialog === 'keys' ? onKeys() : setOpened(dialog))} />
    </Dialog>
  )
}

interface Props {
  entries: readonly Entry[]
  onClose(): void
  onOpen(dialog: NonNullable<Choice['dialog']>): void
}

function Finder({ entries, onClose, onOpen }: Props) {
  const texts = useFinderTexts()
  const t = useTranslations('finder')
  const field = useTranslations('machineField')
  const faultText = useFaultText()
  const navigate = useNavigate()
  const site = useSite()
  const { user } = useMe()
  const listId = useId()
  const [typed, setTyped] = useState('')
  const [moved, setMoved] = useState(0)
  // Enter was pressed before the hub had answered
  const [isAwaited, setAwaited] = useState(false)
  const words = typed.trim()
  const find = useDebounced(words, DEBOUNCE_MS)
  const { data, error, isFetching } = useQuery({
    ...apiQuery('/search', { params: { query: { q: find, group_id: site } } }),
    enabled: find !== '',
    // what was just made is found too
    staleTime: 0,
    placeholderData: keepWithin(site),
  })
  const isSearching = words !== '' && (isFetching || find !== words)
  const found = useFound()(words === '' || error ? undefined : data)
  const local = useLocalChoices(entries)(words)
  const recent: Section = { title: texts.recent, choices: recentChoices(user.id) as Choice[] }
  const sections = (words === '' ? [recent, ...local] : [...local, ...found]).filter(({ choices }) => choices.length > 0)
  const choices = sections.flatMap((section) => section.choices)
  const active = Math.min(moved, choices.length - 1)
  const optionId = (index: number) => `${listId}-${index}`

  const choose = ({ run, dialog, isPerson, ...choice }: Choice) => {
    if (dialog) onOpen(dialog)
    else if (choice.to) {
      const { to, search, icon, text, detail } = choice
      if (!isPerson) rememberChoice(user.id, { to, icon, text, ...(search && { search }), ...(detail && { detail }) })
      onClose()
      navigate({ to, search: search ?? {} })
    } else {
      onClose()
      run?.()
    }
  }
  const go = (to: number) => {
    setMoved(to)
    document.getElementById(optionId(to))?.scrollIntoView({ block: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    if (event.nativeEvent.isComposing) return
    if (key === 'Enter') {
      event.preventDefault()
      // what somebody went to is what the list shows, whatever comes next
      const chosen = moved > 0 ? choices[active] : undefined
      if (chosen) choose(chosen)
      else setAwaited(true)
    } else if ((key === 'ArrowDown' || key === 'ArrowUp') && choices.length > 0) {
      event.preventDefault()
      setAwaited(false)
      go((active + (key === 'ArrowDown' ? 1 : -1) + choices.length) % choices.length)
    }
  }
  const awaited = isAwaited && !isSearching ? choices[active] : undefined
  if (isAwaited && !isSearching && !awaited) setAwaited(false)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a choice is made once
  useEffect(() => {
    if (awaited) choose(awaited)
  }, [awaited !== undefined])

  const state = error
    ? faultText(error)
    : isSearching
      ? field('loading')
      : words !== '' && choices.length === 0
        ? texts.noneFound
        : null
  let index = -1
  return (
    <>
      <input
        // biome-ignore lint/a11y/noAutofocus: a person opens the finder to type
        autoFocus
        type="search"
        role="combobox"
        aria-label={t('title')}
        aria-expanded={choices.length > 0}
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={choices.length > 0 ? optionId(active) : undefined}
        autoComplete="off"
        spellCheck={false}
        enterKeyHint="go"
        maxLength={MAX_LENGTH}
        placeholder={field('find')}
        className="control w-full"
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value)
          setMoved(0)
          setAwaited(false)
        }}
        onKeyDown={onKeyDown}
      />
      <p role="status" className={`text-sm ${error ? '' : 'text-soft'} empty:hidden`}>
        {state}
      </p>
      <div id={listId} role="listbox" aria-label={t('title')} className="h-[50dvh] overflow-y-auto overscroll-contain">
        {sections.map(({ title, choices: ofSection }) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset is no part of a listbox
          <div key={title} role="group" aria-label={title}>
            <p aria-hidden="true" className="px-3 pt-3 pb-1 text-sm font-medium text-soft">
              {title}
            </p>
            {ofSection.map((choice) => {
              index++
              const at = index
              return (
                // biome-ignore lint/a11y/useKeyWithClickEvents: the field moves and chooses by keyboard
                <div
                  key={`${choice.to} ${choice.text} ${choice.detail}`}
                  id={optionId(at)}
                  role="option"
                  tabIndex={-1}
                  aria-selected={at === active}
                  // nothing is entered that closing would lose
                  data-acts-at-once
                  className={`flex cursor-pointer items-center gap-3 rounded-lg px-3 py-2 *:pointer-events-none ${at === active ? 'bg-raised' : ''}`}
                  onPointerMove={() => setMoved(at)}
                  onMouseDown={(event) => event.preventDefault()}
                  onClick={() => choose(choice)}
                >
                  <Icon name={choice.icon} className="size-5 text-soft" />
                  <span className="min-w-0 flex-1">
                    <span className="block truncate">{choice.text}</span>
                    {choice.detail ? <span className="block truncate text-sm text-soft">{choice.detail}</span> : null}
                  </span>
                </div>
              )
            })}
          </div>
        ))}
      </div>
    </>
  )
}
