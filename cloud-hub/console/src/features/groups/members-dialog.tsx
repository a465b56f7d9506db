import { keepPreviousData, useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions, LeaveButton } from '../../kit/dialog.tsx'
import { CheckField, SelectField, TextField } from '../../kit/field.tsx'
import { Empty } from '../../kit/layout.tsx'
import { Loaded } from '../../kit/loaded.tsx'
import { Notice } from '../../kit/notice.tsx'
import { Pages } from '../../kit/pages.tsx'
import { ifVersion, isChangedMeanwhile } from '../../kit/record-version.ts'
import { toast } from '../../kit/toast.tsx'

const PAGE_SIZE = 25

/** How often somebody else may be faster. */
const ATTEMPTS = 5

/** The members with what the person has added and taken away. */
const membersAfter = (before: Iterable<string>, changes: ReadonlyMap<string, boolean>): string[] =>
  [...new Set([...before, ...changes.keys()])].filter((id) => changes.get(id) ?? true)

/** Chooses the machines of a group from all machines of the company, a page at a time. */
export function MembersDialog({ group, onClose }: { group: Schemas['MachineGroup']; onClose(): void }) {
  const t = useTranslations()
  const faultText = useFaultText()
  const [find, setFind] = useState('')
  const [page, setPage] = useState(1)
  const [isInGroup, setInGroup] = useState(false)
  const [changes, setChanges] = useState<ReadonlyMap<string, boolean>>(new Map())
  const params = { path: { group_id: group.id } }
  const ofGroup = useQuery({ ...apiQuery('/machine-groups/{group_id}', { params }), staleTime: 0 })
  const known = ofGroup.data
  const machines = useQuery({
    ...apiQuery('/machines', {
      params: { query: { page, page_size: PAGE_SIZE, search: find || undefined, group_id: isInGroup ? group.id : undefined } },
    }),
    placeholderData: keepPreviousData,
  })
  const before = new Set(known?.machine_ids)
  const isMember = (id: string) => changes.get(id) ?? before.has(id)
  const members = membersAfter(before, changes)
  const save = useMutation({
    // what somebody else has changed meanwhile stays
    mutationFn: async () => {
      for (let attempt = 1; ; attempt++) {
        const now = await unwrap(api.GET('/machine-groups/{group_id}', { params }))
        const body = { machine_ids: membersAfter(now.machine_ids, changes) }
        try {
          return await unwrap(
            api.PUT('/machine-groups/{group_id}/members', { params: { ...params, header: ifVersion(now) }, body }),
          )
        } catch (error) {
          if (!isChangedMeanwhile(error) || attempt === ATTEMPTS) throw error
        }
      }
    },
    onSuccess: () => {
      toast('healthy', t('common.saved'))
      onClose()
    },
  })
  return (
    <Dialog
      title={t('groups.membersOf', { name: group.name })}
      draftKey={group.id}
      onClose={onClose}
      isBusy={save.isPending}
      width="max-w-2xl"
    >
      {save.error ? <Notice tone="critical">{faultText(save.error)}</Notice> : null}
      <div className="flex flex-wrap gap-3">
        <TextField
          label={t('groups.findMachine')}
          type="search"
          className="max-sm:w-full sm:flex-1"
          value={find}
          onChange={({ target }) => {
            setFind(target.value)
            setPage(1)
          }}
        />
        <SelectField
          label={t('agents.show')}
          value={isInGroup ? 'in' : ''}
          onChange={({ target }) => {
            setInGroup(target.value === 'in')
            setPage(1)
          }}
          options={[
            ['', t('groups.allMachines')],
            ['in', t('groups.inGroup')],
          ]}
        />
      </div>
      <div className="rounded-lg border border-line">
        <Loaded query={machines} after={ofGroup} label={t('nav.machines')}>
          {({ items, pagination }) => (
            <>
              {items.length === 0 ? (
                <Empty title={t('overview.noneFound')} />
              ) : (
                <ul className="grid max-h-96 gap-x-4 overflow-y-auto p-2 sm:grid-cols-2">
                  {items.map((machine) => (
                    <li key={machine.id} className="px-2 py-1.5">
                      <CheckField
                        label={machine.name}
                        hint={machine.machine_identifier}
                        checked={isMember(machine.id)}
                        onChange={({ target: { checked } }) => setChanges((it) => new Map(it).set(machine.id, checked))}
                      />
                    </li>
                  ))}
                </ul>
              )}
              <Pages pagination={pagination} onPage={setPage} />
            </>
          )}
        </Loaded>
      </div>
      <DialogActions>
        <p className="mr-auto self-center text-sm text-soft">{t('groups.chosen', { count: members.length })}</p>
        <LeaveButton onPress={onClose}>{t('common.cancel')}</LeaveButton>
        <Button look="primary" isDisabled={!known} isPending={save.isPending} onPress={() => save.mutate()}>
          {t('common.save')}
        </Button>
      </DialogActions>
    </Dialog>
  )
}
