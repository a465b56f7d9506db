import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, type Schemas, unwrap } from '../../../api/client.ts'
import { SOURCE_BROWSE_SEARCH_MAX_LENGTH } from '../../../api/limits.ts'
import { useFaultText, useReportedFault } from '../../../i18n/fault-text.ts'
import { Button } from '../../../kit/button.tsx'
import { TextField } from '../../../kit/field.tsx'
import { Notice } from '../../../kit/notice.tsx'
import { Table } from '../../../kit/table.tsx'
import { metricOf, type OpcUaNode, proposedUnit, type Source, unitLabelOf } from './source.ts'

type Found = Schemas['SourceBrowseAnswer']['nodes'][number]
const PAGE_SIZE = 50

/** Searches an OPC UA server through the agent, and adds the nodes that are chosen. */
export function BrowseNodes({
  source,
  chosen,
  onAdd,
}: {
  source: Source
  /** node ids that the source has already */
  chosen: ReadonlySet<string>
  onAdd(nodes: readonly OpcUaNode[]): void
}) {
  const t = useTranslations('sources')
  const faultText = useFaultText()
  const reported = useReportedFault()
  const [search, setSearch] = useState('')
  const [picked, setPicked] = useState<ReadonlyMap<string, Found>>(new Map())
  const browse = useMutation({
    mutationFn: ({ page, words }: { page: number; words: string }) =>
      unwrap(
        api.POST('/ingest-sources/{source_id}/browse', {
          params: { path: { source_id: source.id } },
          body: { ...(words && { search: words }), page, page_size: PAGE_SIZE, table: 'holding' },
        }),
      ),
  })
  const { data, variables } = browse
  const pick = (node: Found, isPicked: boolean) => {
    const next = new Map(picked)
    if (isPicked) next.set(node.node_id, node)
    else next.delete(node.node_id)
    setPicked(next)
  }
  const add = () => {
    onAdd(
      [...picked.values()].map(({ node_id, path, type, unit }) => {
        const metric_name = metricOf(path.at(-1) ?? '') || 'value'
        return { node_id, metric_name, unit: unit ? unitLabelOf(unit) : proposedUnit(type, metric_name) }
      }),
    )
    setPicked(new Map())
  }
  const turn = (page: number) => browse.mutate({ page, words: variables?.words ?? '' })
  return (
    <section className="flex flex-col gap-3" aria-label={t('browse')}>
      <form
        className="flex flex-wrap items-end gap-3"
        onSubmit={(submit) => {
          submit.preventDefault()
          browse.mutate({ page: 1, words: search.trim() })
        }}
      >
        <TextField
          label={t('search')}
          type="search"
          className="min-w-60 flex-1"
          value={search}
          maxLength={SOURCE_BROWSE_SEARCH_MAX_LENGTH}
          onChange={({ target }) => setSearch(target.value)}
          hint={t('searchHint')}
        />
        <Button type="submit" isPending={browse.isPending} className="mb-5.5">
          {t(browse.isPending ? 'asking' : 'browse')}
        </Button>
      </form>
      {browse.error ? <Notice tone="critical">{faultText(browse.error)}</Notice> : null}
      {data?.error ? <Notice tone="critical">{reported(data.error_fault, data.error)}</Notice> : null}
      {data && !data.error && data.nodes.length === 0 ? <Notice tone="info">{t('nothingFound')}</Notice> : null}
      {data && !data.is_complete ? <Notice tone="warning">{t('incomplete')}</Notice> : null}
      {data && data.nodes.length > 0 ? (
        <>
          <div className="max-h-72 overflow-y-auto rounded-lg border border-line">
            <Table label={t('browse')}>
              <thead>
                <tr>
                  <th className="w-12">
                    <span className="sr-only">{t('choose')}</span>
                  </th>
                  <th>{t('node')}</th>
                  <th>{t('type')}</th>
                  <th className="text-right">{t('value')}</th>
                </tr>
              </thead>
              <tbody>
                {data.nodes.map((node) => {
                  const name = node.path.join(' / ')
                  return (
                    <tr key={node.node_id}>
                      <td>
                        <input
                          type="checkbox"
                          className="size-4.5"
                          aria-label={t('chooseOf', { name })}
                          disabled={node.fault !== null || chosen.has(node.node_id)}
                          checked={picked.has(node.node_id) || chosen.has(node.node_id)}
                          onChange={({ target }) => pick(node, target.checked)}
                        />
                      </td>
                      <td>
                        <span className="font-medium">{name}</span>
                        <code className="block text-sm break-all text-soft">{node.node_id}</code>
                        {node.fault ? <span className="block text-sm text-soft">{reported(node.reason, node.fault)}</span> : null}
                      </td>
                      <td>{node.type ?? '–'}</td>
                      <td className="tabular text-right">
                        {node.value ?? '–'} {node.unit}
                      </td>
                    </tr>
                  )
                })}
              </tbody>
            </Table>
          </div>
          <div className="flex flex-wrap items-center gap-3">
            <Button isDisabled={picked.size === 0} onPress={add}>
              {t('addChosen', { count: picked.size })}
            </Button>
            {variables && variables.page > 1 ? (
              <Button look="quiet" isPending={browse.isPending} onPress={() => turn(variables.page - 1)}>
                {t('previous')}
              </Button>
            ) : null}
            {data.has_more && variables ? (
              <Button look="quiet" isPending={browse.isPending} onPress={() => turn(variables.page + 1)}>
                {t('more')}
              </Button>
            ) : null}
          </div>
        </>
      ) : null}
    </section>
  )
}
