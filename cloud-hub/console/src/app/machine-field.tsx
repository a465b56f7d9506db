import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query'
import { type KeyboardEvent, lazy, Suspense, useContext, useEffect, useId, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { apiQuery } from '../api/client.ts'
import { useFaultText } from '../i18n/fault-text.ts'
import { DialogContext } from '../kit/dialog-parts.tsx'
import { Field } from '../kit/field.tsx'
import { Icon } from '../kit/icon.tsx'
import { useDebounced } from '../kit/use-debounced.ts'
import { VALUE_ATTRIBUTE, VALUE_EVENT } from '../kit/value-control.ts'
import { rememberMachineName, useMachineName } from './machine-name.tsx'
import { useMe } from './me.tsx'

/** Few need it. */
const AddDialog = lazy(() => import('../features/machines/add-dialog.tsx').then((it) => ({ default: it.AddDialog })))

const PAGE_SIZE = 20
const DEBOUNCE_MS = 200

interface Choice {
  id: string
  name: string
  identifier?: string
}

/** The id of the choice that creates a machine. */
const NEW = 'new'

interface Props {
  label: string
  /** the id of the machine; empty for none */
  value: string
  onChange(id: string): void
  /** what no machine means, such as "All"; without it a machine is required */
  none?: string
  isDisabled?: boolean
  fault?: string | undefined
  className?: string
}

/** Chooses a machine of any number of machines: the hub searches by name and identifier. In a dialog it offers to create one. */
export function MachineField({ label, value, onChange, none, isDisabled, fault, className = '' }: Props) {
  const t = useTranslations('machineField')
  const machines = useTranslations('machines')
  const { may } = useMe()
  const { isWithin: isInDialog } = useContext(DialogContext)
  /** the name that was typed when a person chose to create a machine */
  const [created, setCreated] = useState<string>()
  const faultText = useFaultText()
  const client = useQueryClient()
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const name = useMachineName(value)
  // undefined: the list is closed and the field shows the chosen machine
  const [typed, setTyped] = useState<string>()
  const [moved, setActive] = useState<number>()
  // Enter was pressed before the hub had answered the search
  const [isAwaited, setAwaited] = useState(false)
  const isOpen = typed !== undefined
  const find = useDebounced(typed?.trim() ?? '', DEBOUNCE_MS)
  const { data, error, isFetching } = useQuery({
    ...apiQuery('/machines', { params: { query: { search: find || undefined, page_size: PAGE_SIZE } } }),
    enabled: isOpen,
    placeholderData: keepPreviousData,
  })
  const found = data?.items.map(({ id, name, machine_identifier }) => ({ id, name, identifier: machine_identifier })) ?? []
  const choices: Choice[] = [
    ...(none !== undefined && find === '' ? [{ id: '', name: none }] : []),
    ...found,
    ...(data && isInDialog && may('operator') ? [{ id: NEW, name: machines('add'), identifier: find }] : []),
  ]
  // a search that finds nothing chooses nothing: a machine is created only by one who goes there
  const active = moved ?? (choices[0]?.id === NEW ? -1 : 0)
  const more = data ? data.pagination.total - data.items.length : 0
  const isSearching = isFetching || find !== (typed?.trim() ?? '')

  const state = !data ? t('loading') : found.length === 0 ? t('noneFound') : more > 0 ? t('more', { count: more }) : null
  const optionId = (index: number) => `${listId}-${index}`
  const close = () => {
    setTyped(undefined)
    setAwaited(false)
  }
  const open = () => {
    if (isOpen || isDisabled) return
    setTyped('')
    setActive(undefined)
  }
  const choose = (choice: Choice) => {
    close()
    if (choice.id === NEW) return setCreated(find)
    if (choice.id) rememberMachineName(client, choice)
    onChange(choice.id)
  }
  const go = (to: number) => {
    setActive(to)
    list.current?.children[0]?.children[to]?.scrollIntoView({ block: 'nearest' })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    if (key === 'Escape' && isOpen) {
      // the dialog around it stays open
      event.stopPropagation()
      close()
    } else if (key === 'Enter' && isOpen) {
      event.preventDefault()
      setAwaited(true)
    } else if (key === 'ArrowDown' || key === 'ArrowUp') {
      event.preventDefault()
      setAwaited(false)
      if (!isOpen) open()
      else if (choices.length > 0) go((active + (key === 'ArrowDown' ? 1 : -1) + choices.length) % choices.length)
    }
  }
  if (isAwaited && !isSearching && active < 0) setAwaited(false)
  const awaited = isAwaited && isOpen && !isSearching ? choices[active] : undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: a choice is made once
  useEffect(() => {
    if (awaited) choose(awaited)
  }, [awaited?.id])
  // a draft that comes back
  useEffect(() => {
    const control = input.current
    const take = (event: Event) => onChange((event as CustomEvent<string>).detail)
    control?.addEventListener(VALUE_EVENT, take)
    return () => control?.removeEventListener(VALUE_EVENT, take)
  }, [onChange])
  useEffect(() => {
    if (isOpen) list.current?.scrollIntoView({ block: 'nearest' })
  }, [isOpen])
  return (
    <>
      <Field {...{ label, fault }} className={className}>
        {(described) => (
          <div className="relative">
            <input
              {...described}
              ref={input}
              {...{ [VALUE_ATTRIBUTE]: value }}
              type="text"
              role="combobox"
              autoComplete="off"
              spellCheck={false}
              className="control w-full pr-8"
              aria-expanded={isOpen}
              aria-controls={isOpen ? listId : undefined}
              aria-autocomplete="list"
              aria-activedescendant={isOpen && choices[active] ? optionId(active) : undefined}
              disabled={isDisabled}
              required={none === undefined}
              placeholder={isOpen ? (name ?? t('find')) : (none ?? t('choose'))}
              value={typed ?? name ?? ''}
              onChange={({ target }) => {
                setTyped(target.value)
                setActive(undefined)
                setAwaited(false)
              }}
              onClick={open}
              onKeyDown={onKeyDown}
              onBlur={close}
            />
            <Icon name="down" className="pointer-events-none absolute inset-y-0 right-2.5 my-auto size-4 text-soft" />
            {isOpen ? (
              <div
                ref={list}
                className="card absolute inset-x-0 top-full z-30 mt-1 max-h-72 min-w-56 overflow-y-auto overscroll-contain shadow-xl"
              >
                <div id={listId} role="listbox" aria-label={label}>
                  {choices.map((choice, index) => (
                    // biome-ignore lint/a11y/useKeyWithClickEvents: the field moves and chooses by keyboard
                    <div
                      key={choice.id}
                      id={optionId(index)}
                      role="option"
                      tabIndex={-1}
                      aria-selected={choice.id === value}
                      className={`cursor-pointer px-3 py-2 aria-selected:font-medium ${index === active ? 'bg-raised' : ''}`}
                      onPointerMove={() => setActive(index)}
                      onMouseDown={(event) => event.preventDefault()}
                      onClick={() => choose(choice)}
                    >
                      {choice.id === NEW ? <Icon name="plus" className="mr-2 inline size-4" /> : null}
                      {choice.name}
                      {choice.identifier ? <span className="ml-2 text-sm font-normal text-soft">{choice.identifier}</span> : null}
                    </div>
                  ))}
                </div>
                <p role="status" className="px-3 py-2 text-sm text-soft empty:hidden">
                  {error ? faultText(error) : state}
                </p>
              </div>
            ) : null}
          </div>
        )}
      </Field>
      {created === undefined ? null : (
        // React leads what happens in the dialog on to the form around the field, which must not be sent with it
        <div className="contents" onSubmit={(event) => event.stopPropagation()}>
          <Suspense>
            <AddDialog name={created} onClose={() => setCreated(undefined)} onAdded={(machine) => choose(machine)} />
          </Suspense>
        </div>
      )}
    </>
  )
}
