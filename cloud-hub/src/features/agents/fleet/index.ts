export { releasedAgents } from './credential-status.ts'
export { directivesFor, type HeartbeatSettings, recordTelemetry } from './heartbeat.ts'
export { agentRoutes } from './routes.ts'
export { AgentParams } from './schemas.ts'
