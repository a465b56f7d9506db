import type { Schemas } from '../../api/client.ts'
import { useFactsText } from '../alerts/alert-text.ts'

/** The title of a work order: in the reader's language while it is the sentence of its alert, else as a person wrote it. */
export function useOrderTitle(): (order: Schemas['WorkOrder']) => string {
  const textOf = useFactsText()
  return ({ title, title_facts, machine_name }) => (title_facts && textOf(title_facts, machine_name)) ?? title
}
