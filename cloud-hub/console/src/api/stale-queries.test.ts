import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { describe, expect, it, vi } from 'vitest'
import { noteRequest } from './changes.ts'
import { refreshStale, staleAfter } from './stale-queries.ts'

const root = path.resolve(import.meta.dirname, '..')

/** Requests that change nothing a page shows. */
const NOTHING_STALE = ['/alert-rules/backtest', '/ingest-sources/{source_id}/browse', '/push/subscribe', '/push/test']

describe('after a change', () => {
  const sources = globSync('**/*.{ts,tsx}', { cwd: root }).map((file) => readFileSync(path.join(root, file), 'utf8'))
  const changes = new Set(
    sources.flatMap((source) =>
      Array.from(source.matchAll(/api\.(?:POST|PUT|PATCH|DELETE)\(\s*'([^']+)'/g), ([, it = '']) => it),
    ),
  )

  it('something is stale for each path that the console sends changes to, but for those that are named', () => {
    expect(changes.size).toBeGreaterThan(70)
    const without = [...changes].filter((it) => staleAfter(it).length === 0 && !/^\/(?:auth|settings)\//.test(it))
    expect(without.toSorted()).toEqual(NOTHING_STALE)
  })

  it('the entry of the longest beginning counts', () => {
    expect(staleAfter('/maintenance/{event_id}')).toEqual(['/maintenance', '/maintenance/{event_id}'])
    expect(staleAfter('/machines/{machine_id}/downtime/{record_id}/split')).toContain('/fleet/downtime/pareto')
    expect(staleAfter('/settings/plant/non-production-days/import')).toEqual(
      expect.arrayContaining(['/settings/plant', '/shifts/definitions']),
    )
    expect(staleAfter('/machines-of-others')).toEqual([])
  })
})

describe('queries that are shown', () => {
  async function shown(keys: string[]) {
    const client = new QueryClient()
    const read = vi.fn(async ({ queryKey }: { queryKey: readonly unknown[] }) => queryKey[0])
    const stops = keys.map((key) => new QueryObserver(client, { queryKey: [key, {}], queryFn: read }).subscribe(() => {}))
    await vi.waitFor(() => expect(client.isFetching()).toBe(0))
    read.mockClear()
    return { client, read: () => read.mock.calls.map(([{ queryKey }]) => queryKey[0]), stop: () => stops.map((it) => it()) }
  }

  it('are read again once, and others are not', async () => {
    const { client, read, stop } = await shown(['/checklists', '/users'])
    noteRequest('POST', '/checklists')
    noteRequest('PUT', '/checklists/{checklist_id}')
    noteRequest('GET', '/users')
    await refreshStale(client)
    await refreshStale(client)
    expect(read()).toEqual(['/checklists'])
    stop()
  })

  it('are not read again when they were deleted, but their list is', async () => {
    const { client, read, stop } = await shown([
      '/work-orders',
      '/work-orders/{work_order_id}',
      '/work-orders/{work_order_id}/history',
    ])
    noteRequest('DELETE', '/work-orders/{work_order_id}')
    await refreshStale(client)
    expect(read()).toEqual(['/work-orders'])
    stop()
  })

  it('are read again when what was deleted is not a resource with an id', async () => {
    const { client, read, stop } = await shown(['/auth/sso/config'])
    noteRequest('DELETE', '/auth/sso/config')
    await refreshStale(client)
    expect(read()).toEqual(['/auth/sso/config'])
    stop()
  })
})
