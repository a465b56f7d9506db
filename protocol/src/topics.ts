/** Everything happens under this prefix: `haltless/v1/{tenant_id}/{agent_id}/{topic}`. MQTT 3.1.1, QoS 1. */
export const TOPIC_ROOT = 'haltless/v1'

/** Who publishes what: the agent `readings`, `telemetry`, `state` (also as its last will); the hub `receipts`, `directives`, `sources`. */
export const AGENT_TOPICS = ['readings', 'telemetry', 'state'] as const
export const HUB_TOPICS = ['receipts', 'directives', 'sources'] as const
export type AgentTopic = (typeof AGENT_TOPICS)[number]
export type HubTopic = (typeof HUB_TOPICS)[number]

/** `haltless/v1/{tenant_id}/{agent_id}`, without a slash at the end: what heartbeats answer as `topic_prefix`. */
export const topicPrefix = (tenantId: string, agentId: string): string => `${TOPIC_ROOT}/${tenantId}/${agentId}`

export const topicOf = (prefix: string, name: AgentTopic | HubTopic): string => `${prefix}/${name}`

/** Takes a topic apart; null when it is not one of ours. */
export function parseTopic(topic: string): { tenantId: string; agentId: string; name: AgentTopic | HubTopic } | null {
  const parts = topic.split('/')
  if (parts.length !== 5 || `${parts[0]}/${parts[1]}` !== TOPIC_ROOT) return null
  const [, , tenantId, agentId, name] = parts as [string, string, string, string, string]
  const known = ([...AGENT_TOPICS, ...HUB_TOPICS] as string[]).includes(name)
  return known && tenantId && agentId ? { tenantId, agentId, name: name as AgentTopic | HubTopic } : null
}

/** The broker's limits: a packet larger than this is refused; a batch of 1,000 readings takes about 1.2 KB, at worst under 1 MB. */
export const MAX_PACKET_BYTES = 1_048_576
