import { useTranslations } from 'use-intl'
import type { AgentFault } from './agent-faults.ts'

const COLLECTOR_STATES = ['starting', 'running', 'reconnecting', 'failing', 'paused', 'stopped'] as const

/** The state of a collector: one word, with words of the agent behind it where there is more to say. */
export function useStateText(): (text: string) => string {
  const t = useTranslations('agents')
  return (text) => {
    const state = COLLECTOR_STATES.find((it) => text === it || text.startsWith(`${it}:`) || text.startsWith(`${it},`))
    return state ? t(`states.${state}`) + text.slice(state.length) : text
  }
}

/** What is wrong with an agent, in words. */
export function useAgentFaultText(): (fault: AgentFault) => string {
  const t = useTranslations('agents')
  const stateText = useStateText()
  return ({ kind, detail, collector }) =>
    t(`faultKinds.${kind}`, { detail: collector === undefined ? detail : `${collector}: ${stateText(detail)}` })
}
