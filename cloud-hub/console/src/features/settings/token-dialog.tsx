import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { TOKEN_SCOPE } from '../../api/enums.ts'
import { TOKEN_CREATE_NAME_MAX_LENGTH } from '../../api/limits.ts'
import { groupOptions } from '../../app/machine-groups.ts'
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
import { useRoleOptions } from './use-role-options.ts'

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
  const roles = useRoleOptions()
  const role = roles.find(([key]) => key === account?.role)?.[1] ?? account?.role
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

/** Areas with what they offer, each verb a box to tick. */
function ScopesField({ bound, fault }: { bound: string; fault: string | undefined }) {
  const { tokens: texts } = useProgramTexts()
  const areas = Map.groupBy(TOKEN_SCOPE, (scope) => scope.split(':')[0] as Area)
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">{texts.scopes}</legend>
      <ul className="divide-y divide-line rounded-lg border border-line">
        {[...areas].map(([area, scopes]) => (
          <li key={area} className="flex flex-wrap items-center justify-between gap-x-4 px-3 py-1.5">
            <span className="min-w-40 flex-1">{texts.areas[area]}</span>
            <span className="flex gap-4">
              {scopes.map((scope) => {
                const verb = scope.endsWith(':write') ? 'write' : 'read'
                return (
                  <label key={scope} className="flex min-h-8 items-center gap-2">
                    <input
                      type="checkbox"
                      name="scopes"
                      value={scope}
                      aria-label={`${texts.areas[area]}: ${texts[verb]}`}
                      className="size-4.5 accent-(--brand)"
                    />
                    <span>
                      {texts[verb]}
                      <code className="block text-xs text-soft">{scope}</code>
                    </span>
                  </label>
                )
              })}
            </span>
          </li>
        ))}
      </ul>
      <p className="text-sm text-soft">
        {bound} {texts.scopesHint}
      </p>
      {fault ? (
        <p role="alert" className="text-sm font-medium text-critical">
          {fault}
        </p>
      ) : null}
    </fieldset>
  )
}
type Area = (typeof TOKEN_SCOPE)[number] extends `${infer A}:${string}` ? A : never
