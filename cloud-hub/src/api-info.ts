import type { DocumentInfo } from './support/http/openapi.ts'

const DESCRIPTION = `Monitoring for industrial machines: readings come in from edge agents and direct clients, rules evaluate them, alerts go out.

**Signing in.** \`POST /api/v1/auth/login\` returns an access token that is valid for 15 minutes; send it as \`Authorization: Bearer <access token>\`. On 401 call \`POST /api/v1/auth/refresh\` once and repeat the request. Programs send an access token (\`ht_\`, see \`POST /api/v1/tokens\`) in the same way: it lasts up to a year, and its scopes say what it may do. Agents and direct clients send readings with an \`X-API-Key\`. Credentials never go into a URL.

**Roles.** A \`viewer\` reads, an \`operator\` also changes operational data, an \`admin\` also manages users, keys, rules and policies. Every operation names the roles that may call it. You see only your own tenant; resources of others return 404.

**Errors.** Every refusal is a problem document (RFC 9457) with a stable \`code\`; the schema \`ErrorCode\` lists the meaning and the remedy of each. The hub checks in this order: 429, 401, 403, 404 of path ids, 400, 415 and 422, 404 of ids in the body, 409.

**Rate limits.** Per user, access token or API key, and per address without credentials, in a rolling minute: 600 reads (GET, HEAD), 120 writes (everything else) and 240 calls of \`POST /api/v1/ingest\`; a hub may be set to limits by subscription tier instead. Every response carries \`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\`.

**Conventions.** Timestamps are ISO 8601 in UTC; sent ones follow RFC 3339, and a second 60 is the next second. Filters that take a time take a date or a datetime; a date as an end covers its whole day. Lists with \`pagination\` take \`page\` and \`page_size\`; a page beyond the end is empty. Every PUT and PATCH is partial: fields that are absent stay unchanged. Unknown fields and parameters are ignored.`

export const API_INFO: Omit<DocumentInfo, 'version' | 'webhooks' | 'scopeOf'> = {
  description: DESCRIPTION,
  contact: { name: 'The operator of this hub' },
  tags: [
    {
      name: 'Authentication and account',
      description: 'Sign-in, second factor, single sign-on, users, roles, API keys, and the settings of a user and a tenant.',
    },
    {
      name: 'Access tokens',
      description:
        'Credentials of programs: personal access tokens, service accounts and their tokens. Each operation names the scope that a token needs.',
    },
    { name: 'Audit trail', description: 'Who changed what, and who signed in. For admins.' },
    {
      name: 'Machines and groups',
      description: 'The machines of a tenant, and the tree of sites, lines and other groups that contain them.',
    },
    {
      name: 'Sign-offs',
      description:
        'Signatures of completed work orders, their verification, and the completion certificate. A signed work order does not change any more.',
    },
    {
      name: 'Sensor data',
      description:
        'Readings: sending them (ingest, polling sources, tag mappings) and reading them (latest, series, summary, baselines, gaps).',
    },
    {
      name: 'Alert rules',
      description: 'The rules that raise alerts: threshold rules, composite rules, and the escalation of unacknowledged alerts.',
    },
    { name: 'Alerts', description: 'Alerts that rules raised: acknowledge, snooze, comment, history.' },
    {
      name: 'Work orders',
      description: 'Work on machines: who does what until when, step by step, with comments and a history.',
    },
    { name: 'Attachments', description: 'Files of work orders and maintenance events.' },
    { name: 'Search', description: 'Machines, alerts, work orders, agents and people by a few letters.' },
    { name: 'Live', description: 'Changes as they happen, as server-sent events.' },
    {
      name: 'Notifications',
      description: 'Where alerts go: e-mail, webhooks, SMS, chat, incident and ticketing tools, and browsers.',
    },
    {
      name: 'Maintenance',
      description:
        'Planned maintenance and its series, checklists, and calendar subscriptions. Maintenance in progress mutes alerts.',
    },
    { name: 'Notes', description: 'What people note about an instant or a range of a machine, or of a group such as a site.' },
    { name: 'Shifts', description: 'Shift definitions and logs, handover, and OEE by shift, hour and day.' },
    {
      name: 'Downtime and reason codes',
      description: 'When machines were stopped and why: records, reason codes, uptime, MTTR, MTBF and the Pareto of reasons.',
    },
    {
      name: 'Fleet and edge agent',
      description: 'Heartbeats of the edge agents, the state of the fleet, and the figures of sites.',
    },
    { name: 'Predictions', description: 'Health of machines, days to maintenance and to failure, and anomalies.' },
    {
      name: 'ERP integration',
      description:
        'Connections to ERP systems: work orders, production data and downtime are sent, machines are fetched. Every attempt is logged.',
    },
    { name: 'API document', description: 'This document, for programs.' },
  ],
}
