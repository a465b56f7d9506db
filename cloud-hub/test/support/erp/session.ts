import { randomUUID } from 'node:crypto'
import type { ErpProvider, OutboundEntity } from '../../../src/db/enums.ts'
import type { ErpRecord, FieldValue, FieldValues } from '../../../src/features/exchange/fields.ts'
import { providerOf } from '../../../src/features/exchange/providers/index.ts'
import type { ErpSession, SessionSettings } from '../../../src/features/exchange/providers/provider.ts'
import { createGuardedClient } from '../../../src/support/net/guarded-client.ts'
import type { ErpServer } from './server.ts'

/** A session with a test server, over a guarded client that may call loopback addresses. */
export function sessionWith(
  provider: ErpProvider,
  server: Pick<ErpServer, 'config'>,
  { config, ...values }: Partial<SessionSettings> = {},
): ErpSession & { close(): void } {
  const http = createGuardedClient({ allow: ['127.0.0.0/8'] })
  const settings = { fieldMapping: {}, http, cacheKey: randomUUID(), now: () => new Date(), ...values }
  const session = providerOf(provider).open({ ...settings, config: { ...server.config, ...config } })
  return { ...session, close: () => http.close() }
}

const AT = new Date('2026-03-01T12:00:00.250Z')
const MACHINE = { machine_identifier: 'press-01', machine_name: 'Press <1> & Söhne' }
const FIELDS: Record<OutboundEntity, FieldValues> = {
  work_order: {
    title: 'Replace the bearing',
    description: 'Noise "above" 3\\4 of\nthe speed',
    status: 'open',
    priority: 'high',
    ...MACHINE,
    assigned_to: null,
    due_date: AT,
    completed_at: null,
    completion_notes: null,
    created_at: AT,
  },
  production_data: {
    ...MACHINE,
    shift_name: 'Early',
    shift_date: '2026-03-01',
    started_at: AT,
    ended_at: new Date('2026-03-01T20:00:00Z'),
    planned_minutes: 480,
    run_minutes: 431.5,
    downtime_minutes: 48.5,
    total_count: 1_000,
    good_count: 990,
    scrap_count: 10,
    oee_pct: 81.234_567,
    availability_pct: 89.9,
    performance_pct: 91,
    quality_pct: 99,
  },
  downtime: {
    ...MACHINE,
    reason_type: 'unplanned',
    reason_code: 'JAM',
    reason_name: 'Jam',
    reason_note: null,
    started_at: AT,
    ended_at: null,
    duration_minutes: null,
    source: 'manual',
  },
}
const LINES: Partial<Record<OutboundEntity, ErpRecord['lines']>> = {
  work_order: {
    instructions: [
      { position: 1, text: 'Lock: main switch.', completed_at: AT },
      { position: 2, text: 'Test', completed_at: null },
    ],
  },
  production_data: {
    downtime_by_reason: [{ reason_code: 'JAM', reason_name: 'Jam', reason_type: 'unplanned', minutes: 48.5 }],
  },
}

/** A record as a sync loads it. */
export function erpRecord(entity: OutboundEntity, values: Record<string, FieldValue> = {}): ErpRecord {
  const id = (values.id as string | undefined) ?? randomUUID()
  return { id, entity, fields: { ...FIELDS[entity], ...values, id }, lines: LINES[entity] ?? {} }
}
