import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { toast } from '../../kit/toast.tsx'

type Filter = NonNullable<Schemas['BulkAcknowledge']['filter']>

/** All open alerts that matched when a person chose them: `total` of them. Later ones were not seen, so they do not count. */
export interface Matching {
  filter: Filter
  total: number
}

/** The choice of every alert that matches the filters of a list. Other filters end it, and so does taking a row out. */
export function useMatching(filters: Omit<Filter, 'created_before'>) {
  const client = useQueryClient()
  const faultText = useFaultText()
  const [matching, setMatching] = useState<Matching | null>(null)
  // an answer that comes after the choice has ended is of no use
  const turn = useRef(0)
  const forgetMatching = () => {
    turn.current++
    setMatching(null)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: the effect follows the filters
  useEffect(forgetMatching, [JSON.stringify(filters)])
  const chooseMatching = async () => {
    const own = ++turn.current
    try {
      const query = { ...filters, is_acknowledged: false, page_size: 1 }
      const { items, pagination } = await client.fetchQuery({ ...apiQuery('/alerts', { params: { query } }), staleTime: 0 })
      const newest = items[0]
      if (!newest || own !== turn.current) return
      // one millisecond later: `created_before` leaves out what was raised at that instant
      const created_before = new Date(Date.parse(newest.created_at) + 1).toISOString()
      setMatching({ filter: { ...filters, created_before }, total: pagination.total })
    } catch (error) {
      toast('critical', faultText(error))
    }
  }
  return { matching, chooseMatching, forgetMatching }
}

/** Acknowledges all that match, in as many calls as the hub needs. */
export function useAcknowledgeMatching(onDone = () => {}) {
  const t = useTranslations('alerts')
  const faultText = useFaultText()
  return useMutation({
    mutationFn: async ({ filter }: Matching) => {
      for (let acknowledged = 0; ; ) {
        const answer = await unwrap(api.POST('/alerts/bulk/acknowledge', { body: { filter } }))
        acknowledged += answer.acknowledged_count
        if (answer.remaining_count === 0 || answer.acknowledged_count === 0) return { ...answer, acknowledged }
      }
    },
    onSuccess: ({ acknowledged, remaining_count }) => {
      toast('healthy', t('acknowledgedCount', { count: acknowledged }))
      if (remaining_count > 0) toast('info', t('remaining', { count: remaining_count }))
      onDone()
    },
    onError: (error) => toast('critical', faultText(error)),
  })
}
