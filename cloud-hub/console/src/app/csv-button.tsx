import { useMutation } from '@tanstack/react-query'
import { fetchFile, saveFile } from '../api/download.ts'
import { useFaultText } from '../i18n/fault-text.ts'
import { Button } from '../kit/button.tsx'
import { toast } from '../kit/toast.tsx'

/** Saves all that a list shows, of all its pages. @param props `query` as of the list; what is undefined is left out */
export function CsvButton({
  path,
  query,
  name,
}: {
  path: '/alerts' | '/fleet/downtime' | '/fleet/sites/comparison' | '/fleet/figures'
  query: Record<string, unknown>
  name: string
}) {
  const faultText = useFaultText()
  const save = useMutation({
    mutationFn: async () => {
      const given = Object.entries(query).filter(([, value]) => value !== undefined)
      const search = new URLSearchParams(given.map(([key, value]) => [key, String(value)]))
      const file = await fetchFile(`${path}?${search}`, 'text/csv')
      // spreadsheets know UTF-8 by the mark
      saveFile(new Blob(['\uFEFF', file], { type: 'text/csv' }), `${name}.csv`)
    },
    onError: (error) => toast('critical', faultText(error)),
  })
  return (
    <Button isPending={save.isPending} onPress={() => save.mutate()}>
      CSV
    </Button>
  )
}
