import type { CodeOf } from '../../../error-codes/index.ts'
import { Forbidden } from '../../../support/errors.ts'

/** Why no access token may call an operation. */
type Closed = Extract<
  CodeOf<403>,
  | 'token_cannot_make_credentials'
  | 'token_cannot_manage_members'
  | 'token_cannot_change_security'
  | 'token_cannot_sign'
  | 'token_needs_person'
>

/**
 * What access tokens may call: each operation that signed-in users have, by its scope. An area has one scope for what reads and one for what
 * changes; neither contains the other, and the role of the token's owner bounds both. Here and nowhere else: a request is checked by this
 * table, the API document shows it, and `access-table.test.ts` calls every operation with every scope. An operation that is missing is closed, and fails a test.
 */
const OPEN = {
  'machines:read': `listMachines getMachine getMachineImportTemplate listMachineGroups listSiteConflicts getMachineGroupTree getMachineGroup
    listTagMappings getFleetOverview getFleetStatus`,
  'machines:write': `createMachine importMachines updateMachine deactivateMachine createMachineGroup updateMachineGroup deleteMachineGroup
    replaceMachineGroupMembers suggestTagMappings updateTagMapping confirmTagMapping`,
  'readings:read': `listReadings listReadingSeries listLatestReadings getMachineSummary listBaselines listAnomalies getAnomalySummary listDataGaps
    listFleetPredictions getMachinePrediction getMachinePredictionHistory getMachinePredictionNarrative`,
  'alerts:read': 'listAlerts getAlert listAlertGroups getAlertStats listAlertHistory listAlertComments',
  'alerts:write': 'acknowledgeAlert acknowledgeAlerts snoozeAlert createAlertComment',
  'rules:read': 'listAlertRules backtestAlertRule suggestAlertRules listCompositeRules listEscalationPolicies',
  'rules:write': `createAlertRule updateAlertRule deleteAlertRule createCompositeRule updateCompositeRule deleteCompositeRule
    createEscalationPolicy updateEscalationPolicy deleteEscalationPolicy`,
  'channels:read': 'listNotificationChannels listNotificationDeliveries',
  'channels:write': 'createNotificationChannel updateNotificationChannel deleteNotificationChannel testNotificationChannel',
  'work:read': `listWorkOrders getWorkOrder listWorkOrderHistory listWorkOrderComments listWorkOrderInstructions getWorkOrderInstruction
    listWorkOrderSignoffs verifyWorkOrderSignoff downloadWorkOrderCertificate listChecklists getChecklist listMaintenanceEvents
    getMaintenanceEvent listNotes getNote listWorkOrderAttachments listMaintenanceAttachments getAttachment downloadAttachment`,
  'work:write': `createWorkOrder updateWorkOrder deleteWorkOrder createWorkOrderComment createWorkOrderInstruction updateWorkOrderInstruction
    deleteWorkOrderInstruction createChecklist updateChecklist deleteChecklist createMaintenanceEvent updateMaintenanceEvent
    deleteMaintenanceEvent createMaintenanceWorkOrder createNote updateNote deleteNote uploadAttachment deleteAttachment`,
  'production:read': `listMachineDowntime getDowntimeDetection getMachineMttrMtbf getMachineUptimeSummary getMachineOee listFleetDowntime
    getDowntimePareto getFleetMttrMtbf getFleetFigures listSites compareSites getSiteKpis listReasonCodes getReasonCodeTree listActiveShifts
    compareShifts listShiftDefinitions listShiftLogs getShiftHandover`,
  'production:write': `createDowntime updateDowntime endDowntime splitDowntime mergeDowntime updateDowntimeDetection createReasonCode
    updateReasonCode createShiftDefinition updateShiftDefinition deactivateShiftDefinition createShiftLog updateShiftLog deleteShiftLog`,
  'agents:read': `listAgents listAgentReleases downloadAgentArchive listAgentRollouts getAgentRollout listIngestSources getIngestSource`,
  'agents:write': `updateAgent requeueAgentReadings retireAgent createAgentRollout pauseAgentRollout resumeAgentRollout cancelAgentRollout
    createIngestSource updateIngestSource deleteIngestSource browseIngestSource testIngestSource`,
  'erp:read': 'listErpConnections getErpConnection listErpConnectionLogs listErpConnectionRuns getErpConnectionRun listErpLogs',
  'erp:write': `createErpConnection updateErpConnection deleteErpConnection previewErpConnection testErpConnection syncErpConnection`,
  'settings:read': `getPlantSettings getUnitSettings getPredictionSettings getEmailNotificationSettings getTenantLimits getSecuritySettings
    getSsoConfig`,
  'settings:write': 'updatePlantSettings importNonProductionDays updateUnitSettings updatePredictionSettings',
  'team:read': 'listUsers listUserDirectory listRoles listServiceAccounts',
  'audit:read': 'listAuditEntries',
  'stream:read': 'streamEvents getBootstrap',
} as const

export type TokenScope = keyof typeof OPEN
export const TOKEN_SCOPES = Object.keys(OPEN) as [TokenScope, ...TokenScope[]]

/** What every access token may call, whatever its scopes; a search looks only among what these allow. */
const ALWAYS = ['getCurrentUser', 'searchRecords']

const CLOSED: Record<Closed, string> = {
  token_cannot_make_credentials: `createApiKey listApiKeys revokeApiKey createEnrolmentKey listEnrolmentKeys deleteEnrolmentKey releaseAgent
    createCalendarToken listCalendarTokens revokeCalendarToken createToken listTokens listAllTokens revokeToken createServiceAccountToken`,
  token_cannot_manage_members: `createUser inviteUser updateUser deactivateUser changeUserRole resetUserMfa createRole updateRole deleteRole
    createServiceAccount updateServiceAccount`,
  // the mails that tell of changes of passwords and second factors are among the last one
  token_cannot_change_security: `changePassword setupMfa verifyMfaSetup disableMfa endOtherSessions createSsoConfig updateSsoConfig
    deleteSsoConfig verifySsoDomain updateSecuritySettings updateEmailNotificationSettings`,
  token_cannot_sign: 'signWorkOrder',
  token_needs_person:
    'signOut updateProfile getReportSchedule updateReportSchedule getPushKey subscribePush unsubscribePush testPush',
}

const words = (text: string) => text.trim().split(/\s+/)

const SCOPE_OF: ReadonlyMap<string, TokenScope | 'any'> = new Map([
  ...ALWAYS.map((operation) => [operation, 'any'] as const),
  ...TOKEN_SCOPES.flatMap((scope) => words(OPEN[scope]).map((operation) => [operation, scope] as const)),
])
const CLOSED_BY: ReadonlyMap<string, Closed> = new Map(
  (Object.keys(CLOSED) as Closed[]).flatMap((code) => words(CLOSED[code]).map((operation) => [operation, code] as const)),
)

/** The scope that an access token needs for an operation; `any` for what every token may call. @returns why it is closed to tokens */
export function scopeOf(operation: string): { scope: TokenScope | 'any' } | { closed: Closed | 'not_listed' } {
  const scope = SCOPE_OF.get(operation)
  return scope ? { scope } : { closed: CLOSED_BY.get(operation) ?? 'not_listed' }
}

const DETAILS: Record<Closed, string> = {
  token_cannot_make_credentials: 'An access token cannot make, list or end credentials: sign in and do it as a person.',
  token_cannot_manage_members:
    'An access token cannot manage members, roles and service accounts: an admin signs in and does it.',
  token_cannot_change_security: 'An access token cannot change security settings: sign in and change them as a person.',
  token_cannot_sign: 'An access token cannot sign: the person who signs signs in and enters the password.',
  token_needs_person: 'This concerns a person, a session or a browser, and an access token has none: sign in.',
}
/** The refusal of an operation that is closed to tokens. */
export const closedRefusal = (closed: Closed | 'not_listed'): Forbidden => {
  const code = closed === 'not_listed' ? 'token_needs_person' : closed
  return new Forbidden(code, DETAILS[code])
}
