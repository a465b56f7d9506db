import type { TenantScope } from '../../../db/scope.ts'
import { versionedBy } from '../../../support/http/record-version.ts'
import { routeFor } from '../../../support/http/route.ts'
import { findMachine, MachineParams } from '../../plant/machines/index.ts'
import { findDetection, lockDetection, setDetection } from './manage-detection.ts'
import { DetectionBody, DetectionPut } from './schemas.ts'

const route = routeFor<TenantScope>()
const tag = 'Downtime and reason codes'

const withVersion = versionedBy(DetectionPut)

export const detectionRoutes = () => [
  route(
    {
      method: 'get',
      path: '/machines/{machine_id}/downtime-detection',
      operation: 'getDowntimeDetection',
      access: 'any',
      tag,
      summary: 'How downtime of a machine is detected',
      description: 'The settings of automatic detection. A machine without settings answers `is_active` false and `signal` null.',
      params: MachineParams,
      returns: DetectionBody,
    },
    ({ scope, params }) => present(scope, params.machine_id),
  ),
  route(
    {
      method: 'put',
      path: '/machines/{machine_id}/downtime-detection',
      operation: 'updateDowntimeDetection',
      access: 'operator',
      tag,
      summary: 'Detect downtime of a machine; what is not named stays',
      description:
        'While detection is active, the hub opens a downtime record with `source` `automatic` when the signal says that the machine is stopped, and ends it when the machine resumes, about a second after the reading. It opens none beside a record that a person made, and changes none that a person changed, except that an ongoing one ends when the machine resumes. Late readings shorten, split, remove or add automatic records as if they had arrived in time. Switched off, an ongoing record stays for a person to end.',
      params: MachineParams,
      body: DetectionPut,
      changes: { lock: lockDetection, current: (scope, { machine_id }) => present(scope, machine_id) },
      returns: DetectionBody,
      refuses: { 404: ['reason_code_not_found'] },
    },
    async ({ scope, params, body }) => {
      await setDetection(scope, params.machine_id, body)
      return present(scope, params.machine_id)
    },
    findMachine,
  ),
]

async function present(scope: TenantScope, machineId: string) {
  const { row, recordId } = await findDetection(scope, machineId)
  return withVersion({
    machine_id: machineId,
    is_active: row?.isActive ?? false,
    signal: row?.signal ?? null,
    metric_name: row?.metricName ?? null,
    unit: row?.unit ?? null,
    stopped_values: row?.stoppedValues ?? null,
    limit: row?.limitValue ?? null,
    for_seconds: row?.forSeconds ?? 0,
    silent_after_seconds: row?.silentAfterSeconds ?? null,
    reason_code_id: row?.reasonCodeId ?? null,
    active_since: row?.activeSince.toISOString() ?? null,
    ongoing_record_id: recordId,
    updated_at: row?.updatedAt.toISOString() ?? null,
  })
}
