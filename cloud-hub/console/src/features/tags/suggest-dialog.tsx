import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog, DialogActions, LeaveButton } from '../../kit/dialog.tsx'
import { TextArea } from '../../kit/field.tsx'
import { SkeletonRows } from '../../kit/layout.tsx'
import { Failed } from '../../kit/loaded.tsx'
import { Notice } from '../../kit/notice.tsx'
import { toast } from '../../kit/toast.tsx'
import { readTags } from './read-tags.ts'

type TagMapping = Schemas['TagMapping']

const TAGS_OF_REQUEST = 50
const MAX_TAGS = 1_000

/** Takes the tag names of a vendor, those of the readings first, and lets the hub suggest their metrics. */
export function SuggestDialog({
  machineId,
  known,
  onClose,
}: {
  machineId: string
  known: readonly TagMapping[]
  onClose(): void
}) {
  const t = useTranslations()
  const faultText = useFaultText()
  const [typed, setTyped] = useState<string>()
  const path = { machine_id: machineId }
  const latest = useQuery(apiQuery('/machines/{machine_id}/readings/latest', { params: { path } }))
  const mapped = new Set(known.map(({ raw_tag }) => raw_tag))
  const found = Object.values(latest.data?.readings ?? {}).flatMap(({ raw_tag }) => raw_tag ?? [])
  const text = typed ?? [...new Set(found)].filter((tag) => !mapped.has(tag)).join('\n')
  const tags = readTags(text)
  const suggest = useMutation({
    mutationFn: async () => {
      let count = 0
      for (let from = 0; from < tags.length; from += TAGS_OF_REQUEST) {
        const part = tags.slice(from, from + TAGS_OF_REQUEST).map((tag) => ({ ...tag, machine_id: machineId }))
        count += (await unwrap(api.POST('/tag-mappings/auto-map', { body: { tags: part } }))).saved_count
      }
      return count
    },
    onSuccess: (count) => {
      toast('healthy', t('tags.suggested', { count }))
      onClose()
    },
  })
  return (
    <Dialog title={t('tags.suggest')} onClose={onClose} isBusy={suggest.isPending} width="max-w-2xl">
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          suggest.mutate()
        }}
      >
        {suggest.error ? <Notice tone="critical">{faultText(suggest.error)}</Notice> : null}
        <Failed query={latest} />
        {latest.isPending ? (
          <SkeletonRows label={t('common.loading')} />
        ) : (
          <TextArea
            label={t('tags.tags')}
            rows={10}
            required
            value={text}
            onChange={({ target }) => setTyped(target.value)}
            placeholder={'TT_101.PV | oil temperature, °C\nDB20_Ofen.Temp_Ist'}
            hint={t('tags.tagsHint')}
            fault={tags.length > MAX_TAGS ? t('tags.tooMany', { count: MAX_TAGS }) : undefined}
            spellCheck={false}
          />
        )}
        <DialogActions>
          <LeaveButton onPress={onClose}>{t('common.cancel')}</LeaveButton>
          <Button
            look="primary"
            type="submit"
            isPending={suggest.isPending}
            isDisabled={tags.length === 0 || tags.length > MAX_TAGS}
          >
            {t('tags.suggestFor', { count: tags.length })}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  )
}
