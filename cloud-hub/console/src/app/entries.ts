import type { IconName } from '../kit/icon.tsx'
import type { Tier } from './me.tsx'

export interface Entry {
  to: string
  icon: IconName
  text: 'overview' | 'machines' | 'alerts' | 'rules' | 'work' | 'maintenance' | 'operations' | 'agents' | 'erp' | 'settings'
  tier?: Tier
  /** in the bar at the bottom of a phone */
  isPrimary?: boolean
}

/** The pages of the main menu. */
export const ENTRIES = [
  { to: '/', icon: 'overview', text: 'overview', isPrimary: true },
  { to: '/machines', icon: 'machine', text: 'machines', isPrimary: true },
  { to: '/alerts', icon: 'alert', text: 'alerts', isPrimary: true },
  { to: '/rules', icon: 'rule', text: 'rules' },
  { to: '/work-orders', icon: 'work', text: 'work', isPrimary: true },
  { to: '/maintenance', icon: 'calendar', text: 'maintenance' },
  { to: '/operations', icon: 'operations', text: 'operations' },
  { to: '/agents', icon: 'agent', text: 'agents', tier: 'admin' },
  { to: '/erp', icon: 'exchange', text: 'erp' },
  { to: '/settings', icon: 'settings', text: 'settings' },
] as const satisfies readonly Entry[]
