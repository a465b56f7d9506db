/** Which rollout. */
export interface RolloutKey {
  tenantId: string
  rolloutId: string
}
