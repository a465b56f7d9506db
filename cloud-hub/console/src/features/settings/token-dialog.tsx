import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { TOKEN_CREATE_NAME_MAX_LENGTH } from '../../api/limits.ts'
import { groupOptions } from '../../app/machine-groups.ts'
import { useMe } from '../../app/me.tsx'
import { needsPassword, PasswordCheckField } from '../../app/password-check.tsx'
import { useFieldFaults } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { CopyText } from '../../kit/copy-text.tsx'
import { Dialog, DialogActions } from '../../kit/dialog.tsx'
import { SelectField, TextArea, TextField } from '../../kit/field.tsx'
import { FormDialog } from '../../kit/form-dialog.tsx'
import { formText } from '../../kit/form-text.ts'
import { Notice } from '../../kit/notice.tsx'
import { fill, useProgramTexts } from './program-texts.ts'
import { ScopesField } from './scopes-field.tsx'
import { useRoleOptions, useTierOf } from './use-role-options.ts'

type Scope = Schemas['TokenScope']
const DAYS = [30, 90, 180, 365]
const DEFAULT_DAYS = 90

/** Creates an access token of the person, or of a service account, and shows it once. */
export function TokenDialog({
  account,
  onClose,
}: {
  /** the service account that the token is for; absent: the person */
  account?: Pick<Schemas['ServiceAccount'], 'id' | 'name' | 'role'>
  onClose(): void
}) {
  const { tokens: texts } = useProgramTexts()
  const title = account ? fill(texts.createFor, { name: account.name }) : texts.create
  // it stays while the password is checked
  const [asksPassword, askPassword] = useState(false)
  const [lacksScope, setLacksScope] = useState(false)
  const me = useMe()
  const roles = useRoleOptions()
  const role = roles.find(([key]) => key === account?.role)?.[1] ?? account?.role
  const tier = useTierOf(account?.role)
  const tree = useQuery(apiQuery('/machine-groups/tree'))
  const create = useMutation({
    mutationFn: (body: Schemas['TokenCreate']) =>
      account
        ? unwrap(
            api.POST('/service-accounts/{service_account_id}/tokens', {
              params: { path: { service_account_id: account.id } },
              body,
            }),
          )
        : unwrap(api.POST('/tokens', { body })),
    onError: (error) => (needsPassword(error) ? askPassword(true) : undefined),
  })
  const fields = useFieldFaults(create.error)
  if (create.data)
    return (
      <Dialog title={create.data.name} onClose={onClose}>
        <div className="flex flex-col gap-4">
          <Notice tone="warning">{texts.once}</Notice>
          <CopyText text={create.data.token} />
          <DialogActions>
            <Button look="primary" onPress={onClose}>
              {texts.done}
            </Button>
          </DialogActions>
        </div>
      </Dialog>
    )
  return (
    <FormDialog
      title={title}
      saving={create}
      error={needsPassword(create.error) ? null : create.error}
      submit={texts.create}
      onSubmit={(form) => {
        const text = formText(form)
        const values = new FormData(form)
        const scopes = values.getAll('scopes') as Scope[]
        setLacksScope(scopes.length === 0)
        if (scopes.length === 0) return
        const addresses = text('source_addresses').split(/\s+/).filter(Boolean)
        const password = values.get('current_password')
        create.mutate({
          name: text('name'),
          scopes,
          expires_in_days: Number(text('expires_in_days')),
          ...(text('group_id') ? { group_ids: [text('group_id')] } : {}),
          ...(addresses.length > 0 ? { source_addresses: addresses } : {}),
          ...(password === null ? {} : { current_password: String(password) }),
        })
      }}
      onClose={onClose}
    >
      <TextField label={texts.name} name="name" required maxLength={TOKEN_CREATE_NAME_MAX_LENGTH} fault={fields.name} />
      <ScopesField
        tier={account ? tier : me.tier}
        bound={role === undefined ? texts.ownBound : fill(texts.accountBound, { role })}
        fault={lacksScope ? texts.chooseScope : fields.scopes}
      />
      <SelectField
        label={texts.days}
        name="expires_in_days"
        defaultValue={DEFAULT_DAYS}
        options={DAYS.map((days) => [String(days), fill(texts.daysText, { days })] as const)}
        hint={texts.daysHint}
      />
      <SelectField
        label={texts.group}
        name="group_id"
        options={[['', texts.allMachines], ...groupOptions(tree.data ?? [])]}
        hint={texts.groupHint}
        fault={fields.group_ids}
      />
      <TextArea
        label={texts.addresses}
        name="source_addresses"
        rows={2}
        hint={texts.addressesHint}
        fault={Object.entries(fields).find(([name]) => name.startsWith('source_addresses'))?.[1]}
      />
      {asksPassword ? <PasswordCheckField error={create.error} /> : null}
    </FormDialog>
  )
}
