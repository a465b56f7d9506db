import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslations } from 'use-intl'
import { api, POLLED, type Schemas, unwrap } from '../api/client.ts'
import { COMMENT_CREATE_BODY_MAX_LENGTH } from '../api/limits.ts'
import { useFaultText } from '../i18n/fault-text.ts'
import { useFormat } from '../i18n/format.tsx'
import { Button } from './button.tsx'
import { DraftNote } from './draft-note.tsx'
import { TextArea } from './field.tsx'
import { Panel } from './layout.tsx'
import { Loaded } from './loaded.tsx'
import { Notice } from './notice.tsx'
import { useDraft } from './use-draft.ts'

type Target =
  | { path: '/alerts/{alert_id}/comments'; params: { alert_id: string } }
  | { path: '/work-orders/{work_order_id}/comments'; params: { work_order_id: string } }

const bodyOf = (form: HTMLFormElement) => String(new FormData(form).get('body')).trim()

/** What people wrote about an alert or a work order; anyone who is signed in may add to it. */
export function Comments({ path, params }: Target) {
  const t = useTranslations('comments')
  const format = useFormat()
  const faultText = useFaultText()
  const form = useRef<HTMLFormElement>(null)
  const key = [path, { path: params }]
  const init = { params: { path: params } } as never
  const draft = useDraft(form, `comments ${Object.values(params)[0]}`, true)
  const query = useQuery({
    queryKey: key,
    queryFn: () => unwrap(api.GET(path, init)) as Promise<Schemas['CommentList']>,
    ...POLLED,
  })
  const add = useMutation({
    mutationFn: (body: string) => unwrap(api.POST(path, { params: { path: params }, body: { body } } as never)),
    onSuccess: (_comment, sent) => {
      // what was typed meanwhile stays
      if (form.current && bodyOf(form.current) !== sent) return
      form.current?.reset()
      draft.clear()
    },
  })
  return (
    <Panel title={t('title')} className={query.data?.items.length === 0 ? 'no-print' : ''}>
      <Loaded query={query} label={t('title')} rows={2}>
        {(data) => (
          <ol className="divide-y divide-line">
            {data.items.map((comment) => (
              <li key={comment.id} className="px-4 py-2.5">
                <p className="text-sm text-soft">
                  <span className="font-medium text-ink">{comment.author_name}</span> · {format.dateTime(comment.created_at)}
                </p>
                <p className="whitespace-pre-wrap">{comment.body}</p>
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      <form
        ref={form}
        className="flex flex-col gap-2 border-t border-line p-4"
        onSubmit={(event) => {
          event.preventDefault()
          const body = bodyOf(event.currentTarget)
          if (body) add.mutate(body)
        }}
      >
        <DraftNote draft={draft} />
        {add.error ? <Notice tone="critical">{faultText(add.error)}</Notice> : null}
        <TextArea label={t('add')} name="body" maxLength={COMMENT_CREATE_BODY_MAX_LENGTH} rows={2} required />
        <Button type="submit" className="self-end" isPending={add.isPending}>
          {t('submit')}
        </Button>
      </form>
    </Panel>
  )
}
