import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api, apiQuery, type Schemas, unwrap } from '../../api/client.ts'
import { useFaultText } from '../../i18n/fault-text.ts'
import { toast } from '../../kit/toast.tsx'

type Definition = Schemas['ShiftDefinition']

const KEY = 'shift order'

export const definitionsQuery = apiQuery('/shifts/definitions', { params: { query: { active_only: false } } })

/** Puts shifts into an order by hand, which all lists of shifts follow: `sort_order` becomes the position of each. */
export function useShiftOrder(): (list: readonly Definition[], from: number, to: number) => void {
  const client = useQueryClient()
  const faultText = useFaultText()
  const save = useMutation({
    mutationKey: [KEY],
    // quick moves are stored one after another
    scope: { id: KEY },
    mutationFn: async (moved: readonly Definition[]) => {
      for (const { id, sort_order } of moved)
        await unwrap(
          api.PUT('/shifts/definitions/{definition_id}', { params: { path: { definition_id: id } }, body: { sort_order } }),
        )
    },
    onError: (error) => toast('critical', faultText(error)),
  })
  return (list, from, to) => {
    const ordered = list.toSpliced(from, 1).toSpliced(to, 0, list[from] as Definition)
    const numbered = ordered.map((it, sort_order) => ({ ...it, sort_order }))
    client.cancelQueries({ queryKey: definitionsQuery.queryKey })
    client.setQueryData(definitionsQuery.queryKey, numbered)
    save.mutate(numbered.filter(({ sort_order }, index) => ordered[index]?.sort_order !== sort_order))
  }
}
