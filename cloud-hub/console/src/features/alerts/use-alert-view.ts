import { keep, kept } from '../../api/storage.ts'
import { useMe } from '../../app/me.tsx'

type AlertView = 'list' | 'groups'

/**
 * How the page of alerts shows them: as the address says, else as this user chose last in this browser.
 * @param rule whose alerts alone are shown: those of a group, as a list
 * @returns the view, and what remembers a choice
 */
export function useAlertView(
  given: AlertView | undefined,
  rule: string | undefined,
): [view: AlertView, remember: (view: AlertView) => void] {
  const { user } = useMe()
  const key = `haltless.alerts.view.${user.id}`
  return [given ?? (!rule && kept(key) === 'groups' ? 'groups' : 'list'), (view) => keep(key, view)]
}
