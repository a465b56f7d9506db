// document 8251c09a17fbc5a0586e8497ac8878a83956909b261aed73624daeb8ad6eef73: written by npm run console:types

export interface paths {
  '/auth/register': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['registerTenant']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/login': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['signIn']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/refresh': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['refreshToken']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/logout': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['signOut']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/me': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getCurrentUser']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/mfa/setup': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['setupMfa']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/mfa/verify-setup': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['verifyMfaSetup']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/mfa/verify': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['verifyMfa']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/mfa/disable': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['disableMfa']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/api-keys': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listApiKeys']
    put?: never
    post: operations['createApiKey']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/settings/api-keys/{key_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    delete: operations['revokeApiKey']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/settings/roles': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listRoles']
    put?: never
    post: operations['createRole']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/settings/roles/{key}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    delete: operations['deleteRole']
    options?: never
    head?: never
    patch: operations['updateRole']
    trace?: never
  }
  '/users': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listUsers']
    put?: never
    post: operations['createUser']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/users/directory': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listUserDirectory']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/users/invite': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['inviteUser']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/users/{user_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    delete: operations['deactivateUser']
    options?: never
    head?: never
    patch: operations['updateUser']
    trace?: never
  }
  '/users/{user_id}/role': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put: operations['changeUserRole']
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/users/{user_id}/mfa-reset': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['resetUserMfa']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/invitations/accept': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['acceptInvitation']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/password-reset': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['requestPasswordReset']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/password-reset/confirm': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['confirmPasswordReset']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/tokens': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listTokens']
    put?: never
    post: operations['createToken']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/settings/tokens': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listAllTokens']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/tokens/{access_token_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    delete: operations['revokeToken']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/service-accounts': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listServiceAccounts']
    put?: never
    post: operations['createServiceAccount']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/service-accounts/{service_account_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch: operations['updateServiceAccount']
    trace?: never
  }
  '/service-accounts/{service_account_id}/tokens': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['createServiceAccountToken']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/settings/profile': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch: operations['updateProfile']
    trace?: never
  }
  '/settings/change-password': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['changePassword']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/settings/logout-other-sessions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['endOtherSessions']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/settings/email-notifications': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getEmailNotificationSettings']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch: operations['updateEmailNotificationSettings']
    trace?: never
  }
  '/settings/security': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getSecuritySettings']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch: operations['updateSecuritySettings']
    trace?: never
  }
  '/settings/limits': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getTenantLimits']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/settings/report-schedule': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getReportSchedule']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch: operations['updateReportSchedule']
    trace?: never
  }
  '/settings/units': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getUnitSettings']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch: operations['updateUnitSettings']
    trace?: never
  }
  '/units/supported': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listSupportedUnits']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/sso/check': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['checkSso']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/sso/callback': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['completeSso']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/sso/exchange': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['exchangeSsoCode']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/auth/sso/config': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getSsoConfig']
    put?: never
    post: operations['createSsoConfig']
    delete: operations['deleteSsoConfig']
    options?: never
    head?: never
    patch: operations['updateSsoConfig']
    trace?: never
  }
  '/auth/sso/config/verify-domain': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['verifySsoDomain']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/audit-log': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listAuditEntries']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listMachines']
    put?: never
    post: operations['createMachine']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/import': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['importMachines']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/import/template': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getMachineImportTemplate']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getMachine']
    put?: never
    post?: never
    delete: operations['deactivateMachine']
    options?: never
    head?: never
    patch: operations['updateMachine']
    trace?: never
  }
  '/machine-groups': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listMachineGroups']
    put?: never
    post: operations['createMachineGroup']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machine-groups/tree': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getMachineGroupTree']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machine-groups/site-conflicts': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listSiteConflicts']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machine-groups/{group_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getMachineGroup']
    put: operations['updateMachineGroup']
    post?: never
    delete: operations['deleteMachineGroup']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machine-groups/{group_id}/members': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put: operations['replaceMachineGroupMembers']
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/tag-mappings': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listTagMappings']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/tag-mappings/auto-map': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['suggestTagMappings']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/tag-mappings/{mapping_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch: operations['updateTagMapping']
    trace?: never
  }
  '/tag-mappings/{mapping_id}/confirm': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['confirmTagMapping']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/readings/latest': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listLatestReadings']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/readings': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listReadings']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/readings/series': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listReadingSeries']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/summary': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getMachineSummary']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/baselines': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listBaselines']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/predictions/fleet': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listFleetPredictions']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/prediction': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getMachinePrediction']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/prediction/narrative': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getMachinePredictionNarrative']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/prediction/history': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getMachinePredictionHistory']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/settings/predictions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getPredictionSettings']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch: operations['updatePredictionSettings']
    trace?: never
  }
  '/machines/{machine_id}/anomalies/summary': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getAnomalySummary']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/anomalies': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listAnomalies']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ingest': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['ingestReadings']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ingest-sources': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listIngestSources']
    put?: never
    post: operations['createIngestSource']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ingest-sources/{source_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getIngestSource']
    put: operations['updateIngestSource']
    post?: never
    delete: operations['deleteIngestSource']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ingest-sources/{source_id}/test-connection': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['testIngestSource']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/ingest-sources/{source_id}/browse': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['browseIngestSource']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/browse': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['answerAgentBrowse']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/alert-rules': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listAlertRules']
    put?: never
    post: operations['createAlertRule']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/alert-rules/{rule_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put: operations['updateAlertRule']
    post?: never
    delete: operations['deleteAlertRule']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/composite-rules': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listCompositeRules']
    put?: never
    post: operations['createCompositeRule']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/composite-rules/{rule_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put: operations['updateCompositeRule']
    post?: never
    delete: operations['deleteCompositeRule']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/alert-rules/suggestions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['suggestAlertRules']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/alert-rules/backtest': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['backtestAlertRule']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/escalation-policies': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listEscalationPolicies']
    put?: never
    post: operations['createEscalationPolicy']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/escalation-policies/{policy_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put: operations['updateEscalationPolicy']
    post?: never
    delete: operations['deleteEscalationPolicy']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/alerts': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listAlerts']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/alerts/stats': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getAlertStats']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/alerts/groups': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listAlertGroups']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/alerts/bulk/acknowledge': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['acknowledgeAlerts']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/alerts/{alert_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getAlert']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/alerts/{alert_id}/acknowledge': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['acknowledgeAlert']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/alerts/{alert_id}/snooze': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['snoozeAlert']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/alerts/{alert_id}/comments': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listAlertComments']
    put?: never
    post: operations['createAlertComment']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/alerts/{alert_id}/history': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listAlertHistory']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/stream': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['streamEvents']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/bootstrap': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getBootstrap']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/search': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['searchRecords']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/push/vapid-public-key': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getPushKey']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/push/subscribe': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['subscribePush']
    delete: operations['unsubscribePush']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/push/test': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['testPush']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/notification-channels': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listNotificationChannels']
    put?: never
    post: operations['createNotificationChannel']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/notification-channels/{channel_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put: operations['updateNotificationChannel']
    post?: never
    delete: operations['deleteNotificationChannel']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/notification-channels/{channel_id}/test': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['testNotificationChannel']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/notification-channels/{channel_id}/deliveries': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listNotificationDeliveries']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/heartbeat': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getAgentSettings']
    put?: never
    post: operations['sendAgentHeartbeat']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/check': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['checkAgent']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/fleet': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listAgents']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/fleet/{agent_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch: operations['updateAgent']
    trace?: never
  }
  '/agent/fleet/{agent_id}/requeue': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['requeueAgentReadings']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/fleet/{agent_id}/retire': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['retireAgent']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/data-gaps': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listDataGaps']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/releases': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listAgentReleases']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/releases/{version}/{platform}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['downloadAgentRelease']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/releases/{version}/{platform}/archive': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['downloadAgentArchive']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/rollouts': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listAgentRollouts']
    put?: never
    post: operations['createAgentRollout']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/rollouts/{rollout_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getAgentRollout']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/rollouts/{rollout_id}/pause': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['pauseAgentRollout']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/rollouts/{rollout_id}/resume': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['resumeAgentRollout']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/rollouts/{rollout_id}/cancel': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['cancelAgentRollout']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/enrolment-keys': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listEnrolmentKeys']
    put?: never
    post: operations['createEnrolmentKey']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/enrolment-keys/{enrolment_key_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    delete: operations['deleteEnrolmentKey']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/enroll': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getEnrolment']
    put?: never
    post: operations['enrollAgent']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/credential': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['rotateAgentCredential']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/agent/fleet/{agent_id}/release': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['releaseAgent']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/work-orders': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listWorkOrders']
    put?: never
    post: operations['createWorkOrder']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/work-orders/{work_order_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getWorkOrder']
    put?: never
    post?: never
    delete: operations['deleteWorkOrder']
    options?: never
    head?: never
    patch: operations['updateWorkOrder']
    trace?: never
  }
  '/work-orders/{work_order_id}/instructions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listWorkOrderInstructions']
    put?: never
    post: operations['createWorkOrderInstruction']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/work-orders/{work_order_id}/instructions/{instruction_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getWorkOrderInstruction']
    put?: never
    post?: never
    delete: operations['deleteWorkOrderInstruction']
    options?: never
    head?: never
    patch: operations['updateWorkOrderInstruction']
    trace?: never
  }
  '/work-orders/{work_order_id}/comments': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listWorkOrderComments']
    put?: never
    post: operations['createWorkOrderComment']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/work-orders/{work_order_id}/history': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listWorkOrderHistory']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/work-orders/{work_order_id}/signoffs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listWorkOrderSignoffs']
    put?: never
    post: operations['signWorkOrder']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/work-orders/{work_order_id}/signoffs/{signoff_id}/verify': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['verifyWorkOrderSignoff']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/maintenance': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listMaintenanceEvents']
    put?: never
    post: operations['createMaintenanceEvent']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/maintenance/{event_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getMaintenanceEvent']
    put: operations['updateMaintenanceEvent']
    post?: never
    delete: operations['deleteMaintenanceEvent']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/maintenance/{event_id}/work-order': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['createMaintenanceWorkOrder']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/notes': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listNotes']
    put?: never
    post: operations['createNote']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/notes/{note_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getNote']
    put?: never
    post?: never
    delete: operations['deleteNote']
    options?: never
    head?: never
    patch: operations['updateNote']
    trace?: never
  }
  '/checklists': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listChecklists']
    put?: never
    post: operations['createChecklist']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/checklists/{checklist_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getChecklist']
    put: operations['updateChecklist']
    post?: never
    delete: operations['deleteChecklist']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/calendar-tokens': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listCalendarTokens']
    put?: never
    post: operations['createCalendarToken']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/calendar-tokens/{token_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    delete: operations['revokeCalendarToken']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/attachments': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['uploadAttachment']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/attachments/work-order/{work_order_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listWorkOrderAttachments']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/attachments/maintenance/{event_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listMaintenanceAttachments']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/attachments/{attachment_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getAttachment']
    put?: never
    post?: never
    delete: operations['deleteAttachment']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/attachments/{attachment_id}/download': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['downloadAttachment']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/work-orders/{work_order_id}/certificate': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['downloadWorkOrderCertificate']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/downtime-detection': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getDowntimeDetection']
    put: operations['updateDowntimeDetection']
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/reason-codes': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listReasonCodes']
    put?: never
    post: operations['createReasonCode']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/reason-codes/tree': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getReasonCodeTree']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/reason-codes/{code_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put: operations['updateReasonCode']
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/downtime': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listMachineDowntime']
    put?: never
    post: operations['createDowntime']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/downtime/{record_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put: operations['updateDowntime']
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/downtime/{record_id}/end': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['endDowntime']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/downtime/{record_id}/split': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['splitDowntime']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/downtime/{record_id}/merge': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['mergeDowntime']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/fleet/downtime': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listFleetDowntime']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/uptime-summary': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getMachineUptimeSummary']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/mttr-mtbf': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getMachineMttrMtbf']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/fleet/mttr-mtbf': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getFleetMttrMtbf']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/fleet/downtime/pareto': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getDowntimePareto']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/fleet/status': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getFleetStatus']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/fleet/overview': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getFleetOverview']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/fleet/sites': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listSites']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/fleet/sites/comparison': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['compareSites']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/fleet/sites/{site_id}/kpis': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getSiteKpis']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/fleet/figures': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getFleetFigures']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/settings/plant': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getPlantSettings']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch: operations['updatePlantSettings']
    trace?: never
  }
  '/settings/plant/non-production-days/import': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['importNonProductionDays']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/shifts/definitions': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listShiftDefinitions']
    put?: never
    post: operations['createShiftDefinition']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/shifts/definitions/{definition_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put: operations['updateShiftDefinition']
    post?: never
    delete: operations['deactivateShiftDefinition']
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/shifts/logs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listShiftLogs']
    put?: never
    post: operations['createShiftLog']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/shifts/logs/{log_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post?: never
    delete: operations['deleteShiftLog']
    options?: never
    head?: never
    patch: operations['updateShiftLog']
    trace?: never
  }
  '/shifts/logs/{log_id}/handover': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getShiftHandover']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/shifts/active': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listActiveShifts']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/shifts/comparison': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['compareShifts']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/machines/{machine_id}/oee': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getMachineOee']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/erp/connections': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listErpConnections']
    put?: never
    post: operations['createErpConnection']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/erp/connections/{connection_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getErpConnection']
    put?: never
    post?: never
    delete: operations['deleteErpConnection']
    options?: never
    head?: never
    patch: operations['updateErpConnection']
    trace?: never
  }
  '/erp/connections/{connection_id}/test': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['testErpConnection']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/erp/connections/{connection_id}/preview': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['previewErpConnection']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/erp/connections/{connection_id}/sync': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['syncErpConnection']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/erp/connections/{connection_id}/logs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listErpConnectionLogs']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/erp/logs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listErpLogs']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/erp/connections/{connection_id}/runs': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['listErpConnectionRuns']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/erp/connections/{connection_id}/runs/{run_id}': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getErpConnectionRun']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
  '/openapi.json': {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get: operations['getApiDocument']
    put?: never
    post?: never
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}
export interface webhooks {
  alert: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    get?: never
    put?: never
    post: operations['receiveAlert']
    delete?: never
    options?: never
    head?: never
    patch?: never
    trace?: never
  }
}
export interface components {
  schemas: {
    WebhookAlert: {
      type: 'alert'
      message: string
      severity: 'info' | 'warning' | 'critical'
      metric_name: string
      trigger_value: number
      threshold_value: number
      machine_id: string
      machine_name: string
      machine_identifier: string
      alert_id: string
      unit: string
      triggered_at: string
      created_at: string
    }
    WebhookTest: {
      type: 'test'
      message: string
      severity: 'info' | 'warning' | 'critical'
      metric_name: string
      trigger_value: number
      threshold_value: number
    }
    Problem: {
      type: string
      title: string
      status: number
      detail: string
      code: components['schemas']['ErrorCode']
      request_id: string
      errors?: components['schemas']['FieldError'][]
      params?: {
        [key: string]:
          | string
          | number
          | {
              [key: string]: unknown
            }
      }
      retry_after?: number
    }
    ErrorCode:
      | 'malformed_json'
      | 'malformed_body'
      | 'malformed_multipart'
      | 'erp_sync_unsupported'
      | 'body_aborted'
      | 'duplicate_host'
      | 'payload_too_large'
      | 'form_too_large'
      | 'unsupported_media_type'
      | 'validation_failed'
      | 'idempotency_key_reused'
      | 'reason_code_cycle'
      | 'group_cycle'
      | 'file_unreadable'
      | 'path_not_found'
      | 'method_not_allowed'
      | 'resource_not_found'
      | 'range_not_satisfiable'
      | 'metrics_token_required'
      | 'metrics_closed'
      | 'token_missing'
      | 'token_invalid'
      | 'refresh_token_invalid'
      | 'refresh_token_used'
      | 'api_key_missing'
      | 'api_key_invalid'
      | 'enrolment_key_missing'
      | 'enrolment_key_invalid'
      | 'enrolment_key_used'
      | 'enrolment_key_expired'
      | 'login_failed'
      | 'mfa_code_wrong'
      | 'mfa_token_invalid'
      | 'link_invalid'
      | 'sso_state_invalid'
      | 'sso_failed'
      | 'sso_code_invalid'
      | 'demo_token_invalid'
      | 'registration_closed'
      | 'role_insufficient'
      | 'api_key_not_allowed'
      | 'update_not_ordered'
      | 'credential_of_other_agent'
      | 'credential_required'
      | 'enrolment_key_of_other_agent'
      | 'password_wrong'
      | 'password_not_set'
      | 'user_deactivated'
      | 'reauthentication_required'
      | 'mfa_setup_required'
      | 'email_claim_missing'
      | 'email_claim_invalid'
      | 'email_not_verified'
      | 'email_domain_not_allowed'
      | 'no_place_for_user'
      | 'email_of_other_tenant'
      | 'token_expired'
      | 'token_revoked'
      | 'token_owner_inactive'
      | 'token_scope_missing'
      | 'token_address_not_allowed'
      | 'not_author'
      | 'token_outside_groups'
      | 'token_cannot_make_credentials'
      | 'token_cannot_manage_members'
      | 'token_cannot_change_security'
      | 'token_cannot_sign'
      | 'token_needs_person'
      | 'api_key_not_found'
      | 'access_token_not_found'
      | 'service_account_not_found'
      | 'user_not_found'
      | 'role_not_found'
      | 'enrolment_key_not_found'
      | 'machine_not_found'
      | 'agent_not_found'
      | 'agent_rollout_not_found'
      | 'agent_release_not_found'
      | 'machine_group_not_found'
      | 'tag_mapping_not_found'
      | 'ingest_source_not_found'
      | 'rule_not_found'
      | 'policy_not_found'
      | 'alert_not_found'
      | 'work_order_not_found'
      | 'instruction_not_found'
      | 'attachment_not_found'
      | 'maintenance_event_not_found'
      | 'note_not_found'
      | 'checklist_not_found'
      | 'calendar_token_not_found'
      | 'channel_not_found'
      | 'downtime_record_not_found'
      | 'reason_code_not_found'
      | 'site_not_found'
      | 'signoff_not_found'
      | 'shift_definition_not_found'
      | 'shift_log_not_found'
      | 'erp_connection_not_found'
      | 'erp_run_not_found'
      | 'subscription_not_found'
      | 'sso_config_not_found'
      | 'changed_meanwhile'
      | 'idempotency_key_in_use'
      | 'idempotency_outcome_unknown'
      | 'idempotency_answer_too_large'
      | 'agent_in_rollout'
      | 'no_agent_to_update'
      | 'release_expired'
      | 'rollout_state'
      | 'agent_online'
      | 'agent_enrolled'
      | 'tenant_limit'
      | 'too_many_enrolment_keys'
      | 'too_many_erp_connections'
      | 'erp_connection_inactive'
      | 'sync_running'
      | 'maintenance_transition'
      | 'reason_code_taken'
      | 'too_many_reason_codes'
      | 'downtime_ongoing'
      | 'downtime_ended'
      | 'downtime_gap'
      | 'checklist_name_taken'
      | 'checklist_in_use'
      | 'too_many_checklists'
      | 'too_many_calendar_tokens'
      | 'too_many_tokens'
      | 'service_account'
      | 'email_taken'
      | 'user_gone'
      | 'own_mfa'
      | 'own_account'
      | 'last_admin'
      | 'role_name_taken'
      | 'too_many_roles'
      | 'role_builtin'
      | 'role_in_use'
      | 'mfa_enabled'
      | 'mfa_not_set_up'
      | 'mfa_disabled'
      | 'domain_unproven'
      | 'domain_taken'
      | 'sso_config_exists'
      | 'machine_identifier_taken'
      | 'machine_in_other_site'
      | 'site_in_site'
      | 'site_has_calendar'
      | 'too_many_groups'
      | 'too_many_mappings'
      | 'agent_not_ready'
      | 'agent_browsing'
      | 'too_many_sources'
      | 'alert_already_acknowledged'
      | 'too_many_comments'
      | 'too_many_notes'
      | 'too_many_shift_definitions'
      | 'shift_log_active'
      | 'transition_not_allowed'
      | 'work_order_exists'
      | 'work_order_signed'
      | 'too_many_instructions'
      | 'attachment_quota'
      | 'too_many_attachments'
      | 'channel_in_use'
      | 'agent_id_in_use'
      | 'work_order_not_completed'
      | 'signoffs_incomplete'
      | 'too_many_signoffs'
      | 'downloads_busy'
      | 'too_many_open'
      | 'rate_limited'
      | 'login_locked'
      | 'sending_limit'
      | 'too_many_idempotency_keys'
      | 'too_many_streams'
      | 'narrative_limit'
      | 'agent_silent'
      | 'tests_under_way'
      | 'internal_error'
      | 'hub_busy'
      | 'hub_stopping'
      | 'request_timeout'
      | 'database_away'
      | 'database_full'
      | 'database_busy'
      | 'busy'
      | 'tenant_busy'
      | 'ingest_busy'
      | 'import_busy'
      | 'import_timeout'
      | 'backtests_waiting'
      | 'certificates_waiting'
      | 'certificate_under_way'
      | 'streams_full'
      | 'uploads_busy'
      | 'storage_full'
      | 'storage_away'
      | 'sso_provider_away'
      | 'dns_unavailable'
      | 'web_push_disabled'
    FieldError: {
      path: string
      message: string
      code: components['schemas']['FieldErrorCode']
      params: {
        [key: string]: string | number
      }
    }
    FieldErrorCode:
      | 'required'
      | 'empty'
      | 'must_be_absent'
      | 'wrong_type'
      | 'not_finite'
      | 'one_of'
      | 'unknown_value'
      | 'unknown_setting'
      | 'repeated'
      | 'exclusive'
      | 'one_of_two'
      | 'immutable'
      | 'invalid'
      | 'max_characters'
      | 'min_characters'
      | 'max_items'
      | 'min_items'
      | 'at_most'
      | 'at_least'
      | 'more_than'
      | 'less_than'
      | 'max_bytes'
      | 'max_matches'
      | 'max_days_ahead'
      | 'max_range_days'
      | 'max_days'
      | 'year_range'
      | 'too_much_to_evaluate'
      | 'too_many_points'
      | 'unstorable_text'
      | 'nested_too_deeply'
      | 'control_characters'
      | 'contains_colon'
      | 'no_letter_or_digit'
      | 'weak_password'
      | 'invalid_uuid'
      | 'invalid_email'
      | 'email_too_long'
      | 'invalid_url'
      | 'url_with_credentials'
      | 'https_required'
      | 'url_with_query'
      | 'invalid_path'
      | 'invalid_host'
      | 'invalid_address_range'
      | 'host_not_public'
      | 'invalid_domain'
      | 'invalid_time_zone'
      | 'invalid_language_tag'
      | 'invalid_color'
      | 'invalid_phone'
      | 'invalid_sms_sender'
      | 'invalid_date'
      | 'invalid_date_time'
      | 'invalid_time_of_day'
      | 'year_out_of_range'
      | 'invalid_key'
      | 'invalid_cursor'
      | 'invalid_credential'
      | 'invalid_certificates'
      | 'invalid_header'
      | 'reserved_header'
      | 'duplicate_header'
      | 'invalid_field_name'
      | 'not_after'
      | 'not_before'
      | 'not_in_past'
      | 'not_in_future'
      | 'in_future'
      | 'outside_record'
      | 'duplicate_date'
      | 'unsupported_recurrence'
      | 'not_whole_days'
      | 'equal_thresholds'
      | 'inactive_reason_code'
      | 'inactive_user'
      | 'unknown_role'
      | 'other_machine'
      | 'other_work_order'
      | 'not_a_site'
      | 'sites_only'
      | 'own_branch'
      | 'duplicate_series'
      | 'unknown_field'
      | 'duplicate_field'
      | 'needed_field'
      | 'endless_recurrence'
      | 'secret_masked'
      | 'secret_of_other_address'
      | 'shared_issuer'
      | 'unproven_domain'
      | 'single_file_only'
      | 'too_many_cells'
      | 'machine_exists'
      | 'repeated_row'
      | 'no_place_for_machine'
      | 'file_empty'
      | 'file_damaged'
      | 'row_too_long'
      | 'file_too_complex'
      | 'file_kind'
      | 'file_old_excel'
      | 'file_open_quote'
      | 'file_max_rows'
      | 'file_missing_columns'
      | 'file_repeated_column'
      | 'file_no_calendar'
      | 'file_many_days'
    Token: {
      access_token: string
      token_type: 'bearer'
      mfa_required: boolean
    }
    Register: {
      email: string
      password: string
      full_name: string
      tenant_name: string
    }
    Login: {
      email: string
      password: string
    }
    CurrentUser: {
      id: string
      email: string
      full_name: string
      tenant_id: string
      tenant_name: string
      role: string
      is_active: boolean
      mfa_enabled: boolean
      mfa_setup_required: boolean
      phone: string | null
      timezone: string | null
      locale: string | null
      onboarding_completed: boolean
      pinned_metrics: string[]
      subscription_status: 'active' | 'trialing' | 'past_due' | 'canceled'
      subscription_tier: 'free' | 'pro' | 'enterprise'
      version: string
    }
    MfaSetup: {
      secret: string
      qr_code_uri: string
      qr_code: string
      recovery_codes: string[]
    }
    Reauthentication: {
      current_password?: string
    }
    MfaVerifySetup: components['schemas']['MfaCode'] & {
      current_password?: string
    }
    MfaCode: {
      code: string
    }
    MfaVerify: {
      mfa_token: string
      code: string
    }
    CreatedApiKey: {
      id: string
      name: string
      key: string
      created_at: string
    }
    ApiKeyCreate: {
      name: string
    }
    ApiKey: {
      id: string
      name: string
      key_prefix: string
      is_active: boolean
      agent_id: string | null
      created_at: string
      last_used_at: string | null
    }
    Role: {
      key: string
      name: string
      base_tier: 'admin' | 'operator' | 'viewer'
      is_builtin: boolean
      member_count: number
      version: string
    }
    RoleCreate: {
      name: string
      base_tier: 'admin' | 'operator' | 'viewer'
    }
    RolePatch: {
      name?: string
    }
    User: {
      id: string
      email: string
      full_name: string
      is_service_account: boolean
      role: string
      is_active: boolean
      status: 'active' | 'invited' | 'deactivated'
      mfa_enabled: boolean
      phone: string | null
      timezone: string | null
      locale: string | null
      last_login_at: string | null
      created_at: string
      version: string
    }
    DirectoryEntry: {
      id: string
      full_name: string
      is_active: boolean
      is_service_account: boolean
    }
    UserCreate: {
      email: string
      password: string
      full_name: string
      role: string
    }
    InvitationCreate: {
      email: string
      full_name: string
      role: string
      locale?: string
    }
    UserPatch: {
      full_name?: string
      email?: string
      current_password?: string
      phone?: '' | string | null
      timezone?: '' | string | null
      locale?: '' | string | null
      is_active?: boolean
    }
    UserRole: {
      role: string
    }
    InvitationAccept: {
      token: string
      password: string
    }
    PasswordResetRequest: {
      email: string
    }
    PasswordResetConfirm: {
      token: string
      password: string
    }
    CreatedProgramToken: {
      id: string
      name: string
      token_prefix: string
      owner_id: string
      owner_name: string
      is_service_account: boolean
      scopes: string[]
      group_ids: string[] | null
      source_addresses: string[] | null
      status: 'active' | 'expired' | 'revoked'
      created_at: string
      expires_at: string
      last_used_at: string | null
      revoked_at: string | null
      token: string
    }
    TokenCreate: {
      name: string
      scopes: components['schemas']['TokenScope'][]
      expires_in_days?: number
      group_ids?: string[] | null
      source_addresses?: string[] | null
      current_password?: string
    }
    TokenScope:
      | 'machines:read'
      | 'machines:write'
      | 'readings:read'
      | 'alerts:read'
      | 'alerts:write'
      | 'rules:read'
      | 'rules:write'
      | 'channels:read'
      | 'channels:write'
      | 'work:read'
      | 'work:write'
      | 'production:read'
      | 'production:write'
      | 'agents:read'
      | 'agents:write'
      | 'erp:read'
      | 'erp:write'
      | 'settings:read'
      | 'settings:write'
      | 'team:read'
      | 'audit:read'
      | 'stream:read'
    ProgramToken: {
      id: string
      name: string
      token_prefix: string
      owner_id: string
      owner_name: string
      is_service_account: boolean
      scopes: string[]
      group_ids: string[] | null
      source_addresses: string[] | null
      status: 'active' | 'expired' | 'revoked'
      created_at: string
      expires_at: string
      last_used_at: string | null
      revoked_at: string | null
    }
    ServiceAccount: {
      id: string
      name: string
      role: string
      responsible_id: string | null
      is_active: boolean
      active_tokens: number
      last_used_at: string | null
      created_at: string
      version: string
    }
    ServiceAccountCreate: {
      name: string
      role: string
      responsible_id?: string
    }
    ServiceAccountPatch: {
      name?: string
      role?: string
      responsible_id?: string
      is_active?: boolean
    }
    ProfilePatch: {
      full_name?: string
      email?: string
      current_password?: string
      phone?: '' | string | null
      timezone?: '' | string | null
      locale?: '' | string | null
      onboarding_completed?: boolean
      pinned_metrics?: string[]
    }
    PasswordChange: {
      current_password: string
      new_password: string
    }
    EmailNotifications: {
      prefs: {
        [key: string]: boolean
      }
      version: string
    }
    EmailNotificationsPatch: {
      prefs: {
        [key: string]: boolean
      }
    }
    SecuritySettings: {
      require_mfa: boolean
      version: string
    }
    SecuritySettingsPatch: {
      require_mfa?: boolean
    }
    TenantLimits: {
      limits: {
        kind: 'machines' | 'series' | 'rules' | 'channels' | 'users' | 'tokens' | 'attachment_bytes' | 'idempotency_keys'
        used: number
        limit: number | null
        is_near: boolean
      }[]
    }
    ReportSettings: {
      report_schedule: 'daily' | 'weekly' | 'monthly' | null
      report_emails: string[]
      version: string
    }
    ReportSettingsPatch: {
      report_schedule?: 'daily' | 'weekly' | 'monthly' | null
      report_emails?: string[]
    }
    UnitSettings: {
      unit_preferences: {
        [key: string]: string
      }
      version: string
    }
    UnitSettingsPatch: {
      unit_preferences: {
        [key: string]: string
      }
    }
    SupportedUnits: {
      conversions: {
        from_unit: string
        to_unit: string
        factor: number
        offset: number
      }[]
      default_preferences: {
        [key: string]: string
      }
    }
    SsoCheck: {
      sso_enabled: boolean
      provider_name: string | null
      authorization_url: string | null
    }
    SsoExchange: {
      code: string
    }
    SsoConfig: {
      provider_name: string
      client_id: string
      discovery_url: string
      domain: string
      domain_verified: boolean
      trust_email: boolean
      domain_challenge: {
        type: 'TXT'
        name: string
        value: string
      }
      redirect_uri: string
      created_at: string
      updated_at: string
      version: string
    }
    SsoConfigCreate: {
      provider_name: string
      client_id: string
      client_secret: string
      discovery_url: string
      domain: string
      trust_email?: boolean
      current_password?: string
    }
    SsoConfigPatch: {
      provider_name?: string
      client_id?: string
      client_secret?: string
      discovery_url?: string
      domain?: string
      trust_email?: boolean
      current_password?: string
    }
    AuditPage: {
      items: components['schemas']['AuditEntry'][]
      pagination: components['schemas']['Pagination']
      next_cursor: string | null
    }
    AuditEntry: {
      id: string
      at: string
      actor: {
        kind: 'user' | 'token' | 'api_key' | 'enrolment_key' | 'operator' | 'anonymous' | 'hub'
        id: string | null
        name: string | null
      }
      action: string
      target: {
        type: string
        id: string | null
        name: string | null
      }
      before: {
        [key: string]: unknown
      } | null
      after: {
        [key: string]: unknown
      } | null
      ip: string | null
      request_id: string | null
    }
    Pagination: {
      total: number
      page: number
      page_size: number
    }
    Machine: {
      id: string
      tenant_id: string
      name: string
      machine_identifier: string
      protocol: 'opc_ua' | 'modbus_tcp' | 'csv' | 'json'
      status: 'healthy' | 'warning' | 'critical' | 'offline'
      location: string | null
      is_active: boolean
      created_at: string
      updated_at: string
      version: string
    }
    MachineCreate: {
      name: string
      machine_identifier: string
      protocol: 'opc_ua' | 'modbus_tcp' | 'csv' | 'json'
      location?: '' | string | null
    }
    MachinePage: {
      items: components['schemas']['Machine'][]
      pagination: components['schemas']['Pagination']
    }
    MachineImport: {
      total_rows: number
      success_count: number
      failed_count: number
      errors: {
        row: number
        reason: string
        faults: {
          path: string
          message: string
          code: components['schemas']['FieldErrorCode']
          params: {
            [key: string]: string | number
          }
        }[]
      }[]
      created_machine_ids: string[]
      preview?: {
        row: number
        cells: {
          [key: string]: string
        }
      }[]
    }
    MachinePatch: {
      name?: string
      location?: '' | string | null
      status?: 'healthy' | 'warning' | 'critical' | 'offline'
      is_active?: boolean
    }
    MachineGroupWithMembers: {
      id: string
      name: string
      group_type: 'site' | 'line' | 'department' | 'custom'
      description: string | null
      color: string | null
      parent_id: string | null
      time_zone: string | null
      machine_count: number
      created_at: string
      version: string
      machine_ids: string[]
    }
    MachineGroupCreate: {
      name: string
      group_type?: 'site' | 'line' | 'department' | 'custom'
      description?: '' | string | null
      color?: string | null
      parent_id?: string | null
      time_zone?: string | null
      machine_ids?: string[]
    }
    MachineGroup: {
      id: string
      name: string
      group_type: 'site' | 'line' | 'department' | 'custom'
      description: string | null
      color: string | null
      parent_id: string | null
      time_zone: string | null
      machine_count: number
      created_at: string
      version: string
    }
    MachineGroupNode: {
      id: string
      name: string
      group_type: 'site' | 'line' | 'department' | 'custom'
      description: string | null
      color: string | null
      parent_id: string | null
      time_zone: string | null
      machine_count: number
      created_at: string
      version: string
      children: components['schemas']['MachineGroupNode'][]
    }
    SiteConflicts: {
      machine_count: number
      machines: {
        machine_id: string
        machine_name: string
        sites: {
          id: string
          name: string
        }[]
      }[]
      sites: {
        site_id: string
        site_name: string
        inside: {
          id: string
          name: string
        }
      }[]
    }
    MachineGroupPut: {
      name?: string
      group_type?: 'site' | 'line' | 'department' | 'custom'
      description?: '' | string | null
      color?: string | null
      parent_id?: string | null
      time_zone?: string | null
      machine_ids?: string[]
    }
    MachineGroupMembers: {
      machine_ids: string[]
    }
    TagMapping: {
      id: string
      tenant_id: string
      machine_id: string
      raw_tag: string
      standardized_name: string
      unit: string
      is_confirmed: boolean
      confidence_score: number
      created_at: string
      updated_at: string
      version: string
    }
    AutoMapResult: {
      results: {
        raw_tag: string
        standardized_name: string
        unit: string
        confidence_score: number
      }[]
      saved_count: number
    }
    AutoMap: {
      tags: {
        raw_tag: string
        machine_id: string
        context?: string | '' | null
      }[]
    }
    TagMappingPatch: {
      standardized_name?: string
      unit?: string
    }
    LatestReadings: {
      machine_id: string
      readings: {
        [key: string]: {
          timestamp: string
          value: number
          unit: string
          raw_tag: string | null
        }
      }
    }
    ReadingSeries: {
      metric_name: string
      unit: string
      data_points: {
        timestamp: string
        value: number
      }[]
    }
    MachineReadingSeries: {
      machine_id: string
      metric_name: string
      unit: string
      data_points: {
        timestamp: string
        value: number
      }[]
    }
    MachineSummary: {
      machine_id: string
      start: string
      end: string
      completeness_percent: number
      metrics: {
        metric_name: string
        unit: string
        min_value: number
        max_value: number
        avg_value: number
        latest_value: number
        latest_timestamp: string
        sample_count: number
        lost_count: number
        completeness_percent: number
      }[]
    }
    Baseline: {
      id: string
      machine_id: string
      metric_name: string
      unit: string
      mean_value: number
      std_dev: number
      min_value: number
      max_value: number
      sample_count: number
      window_start: string
      window_end: string
    }
    FleetPredictions: {
      predictions: components['schemas']['HealthPrediction'][]
      total: number
    }
    HealthPrediction: {
      machine_id: string
      machine_name: string
      health_score: number
      risk_level: 'healthy' | 'watch' | 'warning' | 'critical'
      days_to_maintenance: number | null
      contributing_factors: string[]
      ai_narrative: string | null
      ai_narrative_source: 'model' | 'template' | null
      last_analyzed_at: string | null
      estimated_days_to_failure: number | null
      failure_days_low: number | null
      failure_days_high: number | null
      limiting_metric: string | null
      degradation_rate_per_day: number
    }
    Narrative: {
      machine_id: string
      ai_narrative: string | null
      source: 'model' | 'template'
    }
    PredictionHistory: {
      machine_id: string
      points: {
        health_score: number
        risk_level: 'healthy' | 'watch' | 'warning' | 'critical'
        recorded_at: string
      }[]
    }
    PredictionSettings: {
      narratives_enabled: boolean
      is_provider_configured: boolean
      version: string
    }
    PredictionSettingsPatch: {
      narratives_enabled?: boolean
    }
    AnomalySummary: {
      machine_id: string
      total_anomaly_events: number
      metrics: {
        metric_name: string
        unit: string
        total_events: number
        latest_sigma: number
        latest_at: string
      }[]
      baseline_drift: {
        metric_name: string
        unit: string
        baseline_mean: number
        current_mean: number
        drift_sigma: number | null
      }[]
    }
    AnomalyPage: {
      items: components['schemas']['AnomalyEvent'][]
      pagination: components['schemas']['Pagination']
    }
    AnomalyEvent: {
      id: string
      machine_id: string
      metric_name: string
      unit: string
      value: number
      sigma: number
      baseline_mean: number
      baseline_std_dev: number
      started_at: string
      ended_at: string | null
    }
    IngestResult: {
      accepted_count: number
      rejected_count: number
      errors: {
        index: number
        machine_identifier: string | null
        code: string
        error: string
      }[]
    }
    IngestSource: components['schemas']['IngestSourceOpcua'] | components['schemas']['IngestSourceModbus']
    Fault: {
      code: string
      params: {
        [key: string]: unknown
      }
      source: 'device' | 'network' | 'agent' | 'hub' | 'config'
      detail: string
    } | null
    IngestSourceCreate: components['schemas']['IngestSourceCreateOpcua'] | components['schemas']['IngestSourceCreateModbus']
    IngestSourcePut: {
      machine_id?: string
      name?: string
      protocol?: 'opcua' | 'modbus'
      host?: string
      port?: number
      poll_interval_seconds?: number
      is_active?: boolean
      config?: {
        [key: string]: unknown
      }
    }
    ConnectionTest: {
      success: boolean
      message: string
      fault: components['schemas']['Fault'] & unknown
      polled_at: string | null
    }
    SourceBrowseAnswer: {
      error: string | null
      error_fault?: {
        code: string
        params: {
          [key: string]: unknown
        }
        source: 'device' | 'network' | 'agent' | 'hub' | 'config'
        detail: string
      } | null
      nodes: {
        node_id: string
        path: string[]
        type: string | null
        value: string | null
        unit: string | null
        fault: string | null
        reason?: {
          code: string
          params: {
            [key: string]: unknown
          }
          source: 'device' | 'network' | 'agent' | 'hub' | 'config'
          detail: string
        } | null
      }[]
      has_more: boolean
      is_complete: boolean
      registers: {
        address: number
        words: number[]
        values: {
          data_type:
            | 'bool'
            | 'int8_low'
            | 'uint8_low'
            | 'int8_high'
            | 'uint8_high'
            | 'int16'
            | 'uint16'
            | 'int32'
            | 'uint32'
            | 'int48'
            | 'uint48'
            | 'int64'
            | 'uint64'
            | 'float32'
            | 'float64'
            | 'bcd16'
            | 'bcd32'
            | 'string'
          byte_order: 'ABCD' | 'CDAB' | 'BADC' | 'DCBA'
          value: number | null
          is_likely: boolean
        }[]
        text: string | null
      } | null
    }
    SourceBrowse: {
      under?: string
      search?: string
      page?: number
      page_size?: number
      table?: 'holding' | 'input' | 'coil' | 'discrete'
      address?: number
    }
    AgentBrowseAnswer: {
      agent_id: string
      request_id: string
      answer: components['schemas']['SourceBrowseAnswer'] & unknown
    }
    AlertRule: {
      id: string
      tenant_id: string
      machine_id: string | null
      metric_name: string
      warning_threshold: number
      critical_threshold: number
      is_active: boolean
      created_by: string
      created_at: string
      version: string
    }
    AlertRuleCreate: {
      machine_id?: string | null
      metric_name: string
      warning_threshold: number
      critical_threshold: number
      is_active?: boolean
    }
    AlertRulePut: {
      warning_threshold?: number
      critical_threshold?: number
      is_active?: boolean
    }
    CompositeRule: {
      id: string
      machine_id: string
      name: string
      description: string | null
      expression: components['schemas']['CompositeExpression']
      severity: 'info' | 'warning' | 'critical'
      is_active: boolean
      created_at: string
      version: string
    }
    CompositeExpression: {
      operator?: 'AND' | 'OR'
      conditions: {
        metric: string
        op: '>' | '>=' | '<' | '<=' | '=='
        value: number
        duration_seconds?: number
      }[]
    }
    CompositeRuleCreate: {
      machine_id: string
      name: string
      description?: string | null
      expression: components['schemas']['CompositeExpression']
      severity: 'info' | 'warning' | 'critical'
      is_active?: boolean
    }
    CompositeRulePut: {
      machine_id?: string
      name?: string
      description?: string | null
      expression?: components['schemas']['CompositeExpression']
      severity?: 'info' | 'warning' | 'critical'
      is_active?: boolean
    }
    RuleSuggestions: {
      suggestions: {
        metric_name: string
        unit: string
        suggested_warning: number
        suggested_critical: number
        reason: string
        basis: {
          reading_count: number
          machine_count: number
          median: number
          deviation: number
          is_high: boolean
        }
        existing_rule_id: string | null
      }[]
      message: string
    }
    RuleBacktestResult: {
      start: string
      end: string
      alert_count: number
      alerts: {
        machine_id: string
        metric_name: string
        unit: string
        severity: 'info' | 'warning' | 'critical'
        trigger_value: number
        threshold_value: number
        triggered_at: string
        cleared_at: string | null
      }[]
    }
    RuleBacktest: {
      machine_id?: string | null
      metric_name?: string
      warning_threshold?: number
      critical_threshold?: number
      expression?: components['schemas']['CompositeExpression'] & unknown
      severity?: 'info' | 'warning' | 'critical'
      start?: string
      end?: string
    }
    EscalationPolicy: {
      id: string
      tenant_id: string
      name: string
      severity: 'info' | 'warning' | 'critical'
      wait_minutes: number
      channel_id: string
      channel_is_active: boolean
      is_active: boolean
      created_at: string
      updated_at: string
      version: string
    }
    EscalationPolicyCreate: {
      name: string
      severity: 'info' | 'warning' | 'critical'
      wait_minutes: number
      channel_id: string
      is_active?: boolean
    }
    EscalationPolicyPut: {
      name?: string
      severity?: 'info' | 'warning' | 'critical'
      wait_minutes?: number
      channel_id?: string
      is_active?: boolean
    }
    AlertPage: {
      items: components['schemas']['Alert'][]
      pagination: components['schemas']['Pagination']
      next_cursor: string | null
    }
    Alert: {
      id: string
      tenant_id: string
      machine_id: string
      machine_name: string
      rule_id: string | null
      severity: 'info' | 'warning' | 'critical'
      metric_name: string
      unit: string
      trigger_value: number
      threshold_value: number
      comparison: '>' | '>=' | '<' | '<=' | '==' | null
      rule_kind: 'threshold' | 'composite' | null
      rule_name: string | null
      message: string
      is_acknowledged: boolean
      acknowledged_at: string | null
      acknowledged_by: string | null
      snoozed_until: string | null
      cleared_at: string | null
      is_too_old_to_notify: boolean
      work_order_id: string | null
      is_muted: boolean
      triggered_at: string
      created_at: string
    }
    AlertStats: {
      total_active: number
      critical_count: number
      warning_count: number
      info_count: number
    }
    AlertGroupPage: {
      items: components['schemas']['AlertGroup'][]
      pagination: components['schemas']['Pagination']
      is_complete: boolean
    }
    AlertGroup: {
      machine_id: string
      machine_name: string
      rule_id: string | null
      rule_kind: 'threshold' | 'composite' | null
      rule_name: string | null
      metric_name: string
      severity: 'info' | 'warning' | 'critical'
      alert_count: number
      open_count: number
      acknowledged_count: number
      first_raised_at: string
      last_raised_at: string
      newest_alert_id: string
    }
    BulkAcknowledged: {
      acknowledged_count: number
      already_acknowledged_ids: string[]
      not_found_ids: string[]
      remaining_count: number
    }
    BulkAcknowledge: {
      alert_ids?: string[]
      filter?: {
        machine_id?: string
        rule_id?: string
        group_id?: string
        severity?: 'info' | 'warning' | 'critical'
        start_date?: string
        end_date?: string
        is_acknowledged?: false
        created_before: string
      }
    }
    AlertSnooze: {
      snooze_until: string
    }
    CommentList: {
      items: components['schemas']['Comment'][]
      total: number
    }
    Comment: {
      id: string
      author_id: string
      author_name: string
      body: string
      created_at: string
      updated_at: string
    }
    CommentCreate: {
      body: string
    }
    AlertHistoryPage: {
      items: components['schemas']['AlertHistoryEntry'][]
      pagination: components['schemas']['Pagination']
    }
    AlertHistoryEntry: {
      event: 'raised' | 'acknowledged' | 'snoozed' | 'cleared' | 'escalated'
      at: string
      actor: {
        kind: string
        id: string | null
        name: string | null
      } | null
      details: {
        [key: string]: string
      } | null
    }
    Bootstrap: {
      user: components['schemas']['CurrentUser'] & unknown
      company: components['schemas']['BootstrapCompany']
    }
    BootstrapCompany: {
      stream_position: string
      units: components['schemas']['UnitSettings'] & unknown
      time_zone: string
      sites: components['schemas']['MachineGroup'][]
      alerts: components['schemas']['AlertStats'] & unknown
      overdue_work_orders: number
    } | null
    SearchAnswer: {
      machines: components['schemas']['FoundMachine'][]
      alerts: components['schemas']['FoundAlert'][]
      work_orders: components['schemas']['FoundOrder'][]
      agents: components['schemas']['FoundAgent'][]
      people: components['schemas']['FoundPerson'][]
      searched: ('machines' | 'alerts' | 'work_orders' | 'agents' | 'people')[]
    }
    FoundMachine: {
      id: string
      name: string
      machine_identifier: string
      status: 'healthy' | 'warning' | 'critical' | 'offline'
    }
    FoundAlert: {
      id: string
      machine_id: string
      machine_name: string
      severity: 'info' | 'warning' | 'critical'
      metric_name: string
      rule_name: string | null
      created_at: string
      is_acknowledged: boolean
    }
    FoundOrder: {
      id: string
      machine_id: string
      machine_name: string
      title: string
      title_facts: {
        severity: 'info' | 'warning' | 'critical'
        metric_name: string
        unit: string
        trigger_value: number
        threshold_value: number
        comparison: '>' | '>=' | '<' | '<=' | '==' | null
        rule_kind: 'threshold' | 'composite' | null
        rule_name: string | null
      } | null
      status: 'open' | 'in_progress' | 'completed' | 'cancelled'
      priority: 'low' | 'medium' | 'high' | 'critical'
    }
    FoundAgent: {
      agent_id: string
      hostname: string | null
      group_name: string | null
    }
    FoundPerson: {
      id: string
      full_name: string
      email: string
    }
    VapidPublicKey: {
      public_key: string | null
      enabled: boolean
    }
    PushSubscribed: {
      subscribed: boolean
    }
    PushSubscribe: {
      endpoint: string
      keys: {
        p256dh: string
        auth: string
      }
      user_agent?: string | null
    }
    PushUnsubscribe: {
      endpoint: string
    }
    ChannelTest: {
      success: boolean
      message: string
      fault: components['schemas']['Fault'] & unknown
    }
    PushBrowser: {
      endpoint: string
    }
    NotificationChannel:
      | components['schemas']['NotificationChannelEmail']
      | components['schemas']['NotificationChannelWebhook']
      | components['schemas']['NotificationChannelSms']
      | components['schemas']['NotificationChannelChatA']
      | components['schemas']['NotificationChannelChatB']
      | components['schemas']['NotificationChannelMessengerA']
      | components['schemas']['NotificationChannelIncidentA']
      | components['schemas']['NotificationChannelIncidentB']
      | components['schemas']['NotificationChannelTicketingA']
      | components['schemas']['NotificationChannelTicketingB']
    NotificationChannelCreate:
      | components['schemas']['NotificationChannelCreateEmail']
      | components['schemas']['NotificationChannelCreateWebhook']
      | components['schemas']['NotificationChannelCreateSms']
      | components['schemas']['NotificationChannelCreateChatA']
      | components['schemas']['NotificationChannelCreateChatB']
      | components['schemas']['NotificationChannelCreateMessengerA']
      | components['schemas']['NotificationChannelCreateIncidentA']
      | components['schemas']['NotificationChannelCreateIncidentB']
      | components['schemas']['NotificationChannelCreateTicketingA']
      | components['schemas']['NotificationChannelCreateTicketingB']
    NotificationChannelPut: {
      name?: string
      config?: {
        [key: string]: unknown
      }
      is_active?: boolean
      notify_on_alert?: boolean
    }
    DeliveryAttemptPage: {
      items: components['schemas']['DeliveryAttempt'][]
      pagination: components['schemas']['Pagination']
      next_cursor: string | null
    }
    DeliveryAttempt: {
      id: string
      alert_id: string | null
      event: 'raised' | 'acknowledged' | 'cleared'
      attempt: number
      status: string
      response_status: number | null
      error: string | null
      fault: components['schemas']['Fault'] & unknown
      attempted_at: string
    }
    Directives: {
      status: 'ok' | 'payment_required'
      next_check_seconds: number
      latest_agent_version: string
      min_supported_version: string
      update_available: boolean
      unsupported: boolean
      wire_versions?: number[]
    }
    HeartbeatAnswer: {
      status: 'ok' | 'payment_required'
      next_check_seconds: number
      latest_agent_version: string
      min_supported_version: string
      update_available: boolean
      unsupported: boolean
      wire_versions?: number[]
      time?: string
      mqtt?: {
        url: string
        username: string
        password: string
        topic_prefix: string
      }
      sources?: {
        revision: number
        sources: ({
          source_id: string
        } & {
          [key: string]: unknown
        })[]
      }
      requeue?: string
      update?: {
        rollout_id: string
        version: string
        release: {
          manifest: string
          signature: string
          keys: {
            key: string
            signature: string
          }[]
        }
        path: string
        delay_seconds: number
      }
    }
    Telemetry: {
      agent_id: string
      agent_version: string
      clock_offset_ms?: number
      uptime_seconds?: number
      buffer_count?: number
      buffer_age_hours?: number
      buffer_bytes?: number
      buffer_capacity_bytes?: number
      collectors?: {
        [key: string]: string
      }
      collector_faults?: {
        [key: string]: {
          code: string
          params: {
            [key: string]: unknown
          }
          source: 'device' | 'network' | 'agent' | 'hub' | 'config'
          detail: string
        }
      } | null
      hostname?: string
      instance_id?: string
      dropped_count?: number
      dead_letter_count?: number
      dead_letters?: {
        code: string
        reason: string
        machine_identifier?: string
        count: number
        first_at: string
        last_at: string
      }[]
      requeued?: string
      gaps?: {
        gap_id: string
        machine_identifier: string
        metric_name: string
        unit: string
        from: string
        to: string
        count: number
        reason: 'disk_full' | 'age_limit' | 'damaged'
      }[]
      missed_polls?: {
        [key: string]: {
          skipped: number
          failed: number
        }
      }
      source_clocks?: {
        [key: string]: {
          ahead_ms: number
          is_used: boolean
          is_exact: boolean
        }
      }
      missed?: {
        gap_id: string
        machine_identifier: string
        metric_name: string | null
        unit: string | null
        from: string
        to: string
        count: number
        collector: string
        reason: 'skipped' | 'no_answer' | 'no_value'
      }[]
      sources?: {
        revision: number
        fault?: string
        revision_fault?: {
          code: string
          params: {
            [key: string]: unknown
          }
          source: 'device' | 'network' | 'agent' | 'hub' | 'config'
          detail: string
        } | null
        states: {
          source_id: string
          error: string | null
          fault?: {
            code: string
            params: {
              [key: string]: unknown
            }
            source: 'device' | 'network' | 'agent' | 'hub' | 'config'
            detail: string
          } | null
          polled_at: string | null
        }[]
      }
      update?: {
        platform?: string
        accepts: boolean
        why_not?: string
        why_not_fault?: {
          code: string
          params: {
            [key: string]: unknown
          }
          source: 'device' | 'network' | 'agent' | 'hub' | 'config'
          detail: string
        } | null
        window?: string
        rollout_id?: string
        version?: string
        state?: 'waiting' | 'downloading' | 'verified' | 'switched' | 'confirmed' | 'rolled_back' | 'refused'
        at?: string
        reason?: string
        fault?: {
          code: string
          params: {
            [key: string]: unknown
          }
          source: 'device' | 'network' | 'agent' | 'hub' | 'config'
          detail: string
        } | null
        received_bytes?: number
      }
    }
    AgentCheckAnswer: {
      time: string
      machines: {
        machine_identifier: string
        machine_id: string | null
        status: 'active' | 'inactive' | 'unknown'
      }[]
    }
    AgentCheck: {
      agent_id: string
      machine_identifiers: string[]
    }
    AgentFleet: {
      agents: components['schemas']['FleetAgent'][]
      total: number
    }
    FleetAgent: {
      agent_id: string
      group_id: string | null
      group_name: string | null
      agent_version: string
      uptime_seconds: number | null
      clock_offset_ms: number | null
      buffer_count: number | null
      buffer_age_hours: number | null
      buffer_bytes: number | null
      buffer_capacity_bytes: number | null
      buffer_full_in_hours: number | null
      collectors: {
        [key: string]: string
      }
      collector_faults: {
        [key: string]: components['schemas']['Fault']
      }
      hostname: string | null
      dropped_count: number | null
      dead_letter_count: number | null
      dead_letters: {
        code: string
        reason: string
        machine_identifier?: string
        count: number
        first_at: string
        last_at: string
      }[]
      missed_polls: {
        [key: string]: {
          skipped: number
          failed: number
        }
      }
      source_clocks: {
        [key: string]: {
          ahead_ms: number
          is_used: boolean
          is_exact: boolean
        }
      }
      missed_poll_count: number
      requeue_requested_at: string | null
      last_seen: string
      online: boolean
      update_available: boolean
      unsupported: boolean
      conflict_at: string | null
      conflict_hostname: string | null
      credential: 'enrolled' | 'api_key' | 'released'
      update: {
        accepts: boolean
        why_not: string | null
        why_not_fault: components['schemas']['Fault'] & unknown
        window: string | null
        platform: string | null
        version: string | null
        state: 'waiting' | 'downloading' | 'verified' | 'switched' | 'confirmed' | 'rolled_back' | 'refused' | null
        at: string | null
        reason: string | null
        fault: components['schemas']['Fault'] & unknown
      } | null
      retired_at: string | null
      sources: {
        revision: number
        running_revision: number | null
        fault: string | null
        revision_fault: components['schemas']['Fault'] & unknown
      } | null
      version: string
    }
    AgentPatch: {
      group_id?: string | null
    }
    AgentRequeue: {
      agent_id: string
      requeue_requested_at: string
    }
    DataGapPage: {
      items: components['schemas']['DataGap'][]
      pagination: components['schemas']['Pagination']
    }
    DataGap: {
      id: string
      agent_id: string
      collector: string | null
      metric_name: string | null
      unit: string | null
      from: string
      to: string
      count: number
      reason: string
      created_at: string
    }
    AgentRelease: {
      version: string
      sequence: number
      min_source_version: string
      issued_at: string
      expires_at: string
      is_expired: boolean
      platforms: {
        platform: string
        size: number
        sha256: string
      }[]
      added_at: string
    }
    AgentRolloutDetail: {
      id: string
      version: string
      state: 'running' | 'paused' | 'stopped' | 'completed' | 'cancelled'
      reason: string | null
      fault: components['schemas']['Fault'] & unknown
      wave: number
      waves: number
      wave_sizes: number[]
      stop_after_failures: number
      spread_seconds: number
      failures: number
      counts: {
        [key: string]: number
      }
      created_by: string
      created_at: string
      ended_at: string | null
      agents: {
        agent_id: string
        wave: number
        state:
          | 'pending'
          | 'announced'
          | 'waiting'
          | 'downloading'
          | 'verified'
          | 'switched'
          | 'confirmed'
          | 'rolled_back'
          | 'refused'
          | 'failed'
          | 'skipped'
          | 'cancelled'
        since: string
        reason: string | null
        fault: components['schemas']['Fault'] & unknown
        from_version: string
        received_bytes: number | null
      }[]
    }
    AgentRolloutBody: {
      version: string
      agent_ids?: string[]
      all_agents?: boolean
      wave_sizes?: number[]
      stop_after_failures?: number
      spread_seconds?: number
    }
    AgentRolloutPage: {
      items: components['schemas']['AgentRollout'][]
      pagination: components['schemas']['Pagination']
    }
    AgentRollout: {
      id: string
      version: string
      state: 'running' | 'paused' | 'stopped' | 'completed' | 'cancelled'
      reason: string | null
      fault: components['schemas']['Fault'] & unknown
      wave: number
      waves: number
      wave_sizes: number[]
      stop_after_failures: number
      spread_seconds: number
      failures: number
      counts: {
        [key: string]: number
      }
      created_by: string
      created_at: string
      ended_at: string | null
    }
    CreatedEnrolmentKey: {
      id: string
      name: string
      agent_id: string | null
      group_id: string | null
      expires_at: string
      created_at: string
      key: string
    }
    EnrolmentKeyCreate: {
      name: string
      agent_id?: string | null
      group_id?: string | null
      expires_in_hours?: number
    }
    EnrolmentKey: {
      id: string
      name: string
      agent_id: string | null
      group_id: string | null
      expires_at: string
      created_at: string
      key_prefix: string
      status: 'unused' | 'used' | 'expired'
      used_at: string | null
      used_by_agent: string | null
      created_by: string
    }
    EnrolmentOffer: {
      agent_id: string | null
      expires_at: string
      mqtt_url: string
      time: string
    }
    IssuedCredential: {
      agent_id: string
      credential: string
      created_at: string
    }
    Enrolment: {
      agent_id: string
      agent_version: string
      platform?: string
      hostname?: string
    }
    WorkOrder: {
      id: string
      machine_id: string
      machine_name: string
      alert_id: string | null
      maintenance_event_id: string | null
      title: string
      title_facts: {
        severity: 'info' | 'warning' | 'critical'
        metric_name: string
        unit: string
        trigger_value: number
        threshold_value: number
        comparison: '>' | '>=' | '<' | '<=' | '==' | null
        rule_kind: 'threshold' | 'composite' | null
        rule_name: string | null
      } | null
      description: string | null
      status: 'open' | 'in_progress' | 'completed' | 'cancelled'
      priority: 'low' | 'medium' | 'high' | 'critical'
      assigned_to: string | null
      assignee_ids: string[]
      due_date: string | null
      completed_at: string | null
      completion_notes: string | null
      signoff_count: number
      created_by: string
      created_at: string
      updated_at: string
      version: string
    }
    WorkOrderCreate: {
      machine_id: string
      alert_id?: string | null
      title: string
      description?: '' | string | null
      priority?: 'low' | 'medium' | 'high' | 'critical'
      assigned_to?: string | null
      assignee_ids?: string[]
      due_date?: string
    }
    WorkOrderList: {
      items: components['schemas']['WorkOrder'][]
      total: number
    }
    WorkOrderPatch: {
      title?: string
      description?: '' | string | null
      priority?: 'low' | 'medium' | 'high' | 'critical'
      assigned_to?: string | null
      assignee_ids?: string[]
      due_date?: string
      status?: 'open' | 'in_progress' | 'completed' | 'cancelled'
      completion_notes?: '' | string | null
    }
    InstructionList: {
      items: components['schemas']['Instruction'][]
      total: number
    }
    Instruction: {
      id: string
      work_order_id: string
      step_order: number
      title: string
      body: string | null
      attachment_id: string | null
      is_completed: boolean
      completed_at: string | null
      completed_by: string | null
      created_by: string
      created_at: string
      updated_at: string
      version: string
    }
    InstructionCreate: {
      step_order: number
      title: string
      body?: '' | string | null
      attachment_id?: string | null
    }
    InstructionPatch: {
      step_order?: number
      title?: string
      body?: '' | string | null
      attachment_id?: string | null
      is_completed?: boolean
    }
    WorkOrderHistory: {
      items: components['schemas']['WorkOrderHistoryEntry'][]
      total: number
    }
    WorkOrderHistoryEntry: {
      event:
        | 'created'
        | 'updated'
        | 'assignee_added'
        | 'assignee_removed'
        | 'instruction_added'
        | 'instruction_updated'
        | 'instruction_completed'
        | 'instruction_reopened'
        | 'instruction_removed'
        | 'attachment_added'
        | 'attachment_removed'
        | 'signed'
      at: string
      actor: {
        kind: string
        id: string | null
        name: string | null
      } | null
      subject: {
        id: string
        name: string | null
      } | null
      changes: {
        [key: string]: {
          from?: unknown
          to?: unknown
        }
      } | null
    }
    Signoff: {
      id: string
      work_order_id: string
      number: number
      signed_by: string
      signer_name: string
      signer_role: string
      signature_hash: string
      signed_at: string
      created_at: string
    }
    SignoffCreate: {
      password: string
    }
    SignoffVerification: {
      signoff_id: string
      is_valid: boolean
      detail: string
      fault: components['schemas']['Fault'] & unknown
    }
    MaintenanceEvent: {
      id: string
      tenant_id: string
      machine_id: string
      machine_name: string
      title: string
      description: string | null
      scheduled_start: string
      scheduled_end: string
      status: 'scheduled' | 'in_progress' | 'completed' | 'cancelled'
      linked_alert_id: string | null
      assigned_to: string | null
      checklist_id: string | null
      created_by: string
      created_at: string
      updated_at: string
      recurrence_rule: 'daily' | 'weekly' | 'monthly' | 'quarterly' | null
      parent_event_id: string | null
      version: string
    }
    MaintenanceEventCreate: {
      machine_id: string
      title: string
      description?: '' | string | null
      scheduled_start: string
      scheduled_end: string
      assigned_to?: string | null
      checklist_id?: string | null
      linked_alert_id?: string | null
      recurrence_rule?: 'daily' | 'weekly' | 'monthly' | 'quarterly' | null
    }
    MaintenanceEventPut: {
      title?: string
      description?: '' | string | null
      scheduled_start?: string
      scheduled_end?: string
      assigned_to?: string | null
      checklist_id?: string | null
      status?: 'scheduled' | 'in_progress' | 'completed' | 'cancelled'
      recurrence_rule?: 'daily' | 'weekly' | 'monthly' | 'quarterly' | null
    }
    NotePage: {
      items: components['schemas']['Note'][]
      pagination: components['schemas']['Pagination']
    }
    Note: {
      id: string
      machine_id: string | null
      group_id: string | null
      subject_name: string
      starts_at: string
      ends_at: string | null
      body: string
      mention_ids: string[]
      author_id: string
      author_name: string
      created_at: string
      updated_at: string
      version: string
    }
    NoteCreate: {
      machine_id?: string
      group_id?: string
      starts_at: string
      ends_at?: string | null
      body: string
      mention_ids?: string[]
    }
    NotePatch: {
      starts_at?: string
      ends_at?: string | null
      body?: string
      mention_ids?: string[]
    }
    Checklist: {
      id: string
      name: string
      steps: {
        title: string
        body: string | null
      }[]
      created_by: string
      created_at: string
      updated_at: string
      version: string
    }
    ChecklistCreate: {
      name: string
      steps: components['schemas']['ChecklistStep'][]
    }
    ChecklistStep: {
      title: string
      body?: '' | string | null
    }
    ChecklistPut: {
      name?: string
      steps?: components['schemas']['ChecklistStep'][]
    }
    NewCalendarToken: {
      id: string
      label: string
      created_at: string
      last_used_at: string | null
      url: string
    }
    CalendarTokenCreate: {
      label: string
    }
    CalendarToken: {
      id: string
      label: string
      created_at: string
      last_used_at: string | null
    }
    Attachment: {
      id: string
      work_order_id: string | null
      maintenance_event_id: string | null
      uploaded_by: string
      filename: string
      content_type: string
      size_bytes: number
      sha256: string
      created_at: string
      updated_at: string
    }
    DowntimeDetection: {
      machine_id: string
      is_active: boolean
      signal: 'state' | 'level' | 'count' | 'silence' | null
      metric_name: string | null
      unit: string | null
      stopped_values: number[] | null
      limit: number | null
      for_seconds: number
      silent_after_seconds: number | null
      reason_code_id: string | null
      active_since: string | null
      ongoing_record_id: string | null
      updated_at: string | null
      version: string
    }
    DowntimeDetectionPut: {
      is_active?: boolean
      signal?: 'state' | 'level' | 'count' | 'silence'
      metric_name?: string | null
      unit?: string | null
      stopped_values?: number[] | null
      limit?: number | null
      for_seconds?: number
      silent_after_seconds?: number | null
      reason_code_id?: string | null
    }
    ReasonCode: {
      id: string
      code: string
      label: string
      category: 'planned' | 'unplanned' | 'changeover' | 'maintenance'
      oee_loss_category: 'availability_loss' | 'performance_loss' | 'quality_loss' | 'not_scheduled'
      description: string | null
      parent_id: string | null
      is_active: boolean
      sort_order: number
      created_at: string
      version: string
    }
    ReasonCodeNode: {
      id: string
      code: string
      label: string
      category: 'planned' | 'unplanned' | 'changeover' | 'maintenance'
      oee_loss_category: 'availability_loss' | 'performance_loss' | 'quality_loss' | 'not_scheduled'
      description: string | null
      parent_id: string | null
      is_active: boolean
      sort_order: number
      created_at: string
      version: string
      children: components['schemas']['ReasonCodeNode'][]
    }
    ReasonCodeCreate: {
      code: string
      label: string
      category: 'planned' | 'unplanned' | 'changeover' | 'maintenance'
      oee_loss_category: 'availability_loss' | 'performance_loss' | 'quality_loss' | 'not_scheduled'
      description?: '' | string | null
      parent_id?: string | null
      sort_order?: number
    }
    ReasonCodePut: {
      code?: string
      label?: string
      category?: 'planned' | 'unplanned' | 'changeover' | 'maintenance'
      oee_loss_category?: 'availability_loss' | 'performance_loss' | 'quality_loss' | 'not_scheduled'
      description?: '' | string | null
      parent_id?: string | null
      sort_order?: number
      is_active?: boolean
    }
    DowntimeRecord: {
      id: string
      machine_id: string
      machine_name: string
      started_at: string
      ended_at: string | null
      duration_minutes: number | null
      reason_type: 'planned' | 'unplanned' | 'changeover' | 'maintenance'
      reason_code_id: string | null
      reason_code: components['schemas']['EmbeddedReasonCode']
      reason_note: string | null
      source: 'manual' | 'automatic'
      edited_at: string | null
      created_by: string | null
      created_at: string
      updated_at: string
      version: string
    }
    EmbeddedReasonCode: {
      id: string
      code: string
      label: string
      category: 'planned' | 'unplanned' | 'changeover' | 'maintenance'
      oee_loss_category: 'availability_loss' | 'performance_loss' | 'quality_loss' | 'not_scheduled'
    } | null
    DowntimeCreate: {
      started_at: string
      ended_at?: string
      reason_type?: 'planned' | 'unplanned' | 'changeover' | 'maintenance'
      reason_code_id?: string | null
      reason_note?: '' | string | null
    }
    DowntimePut: {
      started_at?: string
      ended_at?: string
      reason_type?: 'planned' | 'unplanned' | 'changeover' | 'maintenance'
      reason_code_id?: string | null
      reason_note?: '' | string | null
    }
    DowntimeSplit: {
      at: string
      reason_type?: 'planned' | 'unplanned' | 'changeover' | 'maintenance'
      reason_code_id?: string | null
      reason_note?: '' | string | null
    }
    DowntimeMerge: {
      record_ids: string[]
    }
    DowntimePage: {
      items: components['schemas']['DowntimeRecord'][]
      pagination: components['schemas']['Pagination']
      next_cursor: string | null
    }
    UptimeSummary: {
      machine_id: string
      total_hours: number
      downtime_hours: number
      uptime_percent: number | null
      by_reason: {
        planned: number
        unplanned: number
        changeover: number
        maintenance: number
      }
      observed_from: string | null
    }
    MachineReliability: {
      machine_id: string
      mttr_hours: number | null
      mtbf_hours: number | null
      repair_event_count: number
      failure_event_count: number
      lookback_days: number
      observed_from: string | null
    }
    FleetReliability: {
      machines: components['schemas']['Reliability'][]
      fleet_mttr_hours: number | null
      fleet_mtbf_hours: number | null
    }
    Reliability: {
      machine_id: string
      mttr_hours: number | null
      mtbf_hours: number | null
      repair_event_count: number
      failure_event_count: number
      lookback_days: number
    }
    DowntimePareto: {
      date_from: string
      date_to: string
      micro_stop_minutes: number
      total_minutes: number
      total_count: number
      micro_stops: {
        count: number
        minutes: number
      }
      reasons: components['schemas']['ParetoReason'][]
      other: {
        reason_count: number
        minutes: number
        count: number
        share_percent: number
      } | null
    }
    ParetoReason: {
      reason_type: 'planned' | 'unplanned' | 'changeover' | 'maintenance'
      reason_code: components['schemas']['EmbeddedReasonCode'] & unknown
      minutes: number
      count: number
      share_percent: number
      cumulative_percent: number
    }
    FleetStatus: {
      total_machines: number
      machines: components['schemas']['FleetMachine'][]
    }
    FleetMachine: {
      machine_id: string
      machine_name: string
      machine_identifier: string
      status: 'healthy' | 'warning' | 'critical' | 'offline'
      active_alert_count: number
      last_reading_at: string | null
    }
    FleetOverview: {
      items: components['schemas']['OverviewMachine'][]
      pagination: components['schemas']['Pagination']
      counts: components['schemas']['StatusCounts']
    }
    OverviewMachine: {
      machine_id: string
      machine_name: string
      machine_identifier: string
      status: 'healthy' | 'warning' | 'critical' | 'offline'
      active_alert_count: number
      readings: {
        metric_name: string
        unit: string
        value: number
        timestamp: string
        is_pinned: boolean
      }[]
      violations: components['schemas']['Violation'][]
      trend: {
        metric_name: string
        unit: string
        from: string
        values: (number | null)[]
      } | null
    }
    Violation: {
      alert_id: string
      severity: 'info' | 'warning' | 'critical'
      metric_name: string
      unit: string
      threshold_value: number
      is_above: boolean
      triggered_at: string
      acknowledged_at: string | null
      acknowledged_by_name: string | null
    }
    StatusCounts: {
      critical: number
      warning: number
      offline: number
      healthy: number
    }
    Site: {
      site_id: string
      name: string
      machine_count: number
      healthy_count: number
      warning_count: number
      critical_count: number
      offline_count: number
      active_alert_count: number
      open_work_order_count: number
      downtime_hours: number
      uptime_percent: number | null
      mttr_hours: number | null
      mtbf_hours: number | null
      oee_pct: number | null
      oee_weighted_pct: number | null
    }
    FleetFigures: {
      items: components['schemas']['FiguresEntry'][]
      pagination: components['schemas']['Pagination']
      from: string
      to: string
      time_zone: string
      interval: 'none' | 'week' | 'day' | 'shift'
      by: 'machine' | 'group' | 'reason' | null
    }
    FiguresEntry: {
      start: string
      end: string
      shift_date: string | null
      shift_definition_id: string | null
      shift_name: string | null
      machine_id: string | null
      group_id: string | null
      name: string | null
      reason_type: 'planned' | 'unplanned' | 'changeover' | 'maintenance' | null
      reason_code: components['schemas']['EmbeddedReasonCode'] & unknown
      machine_count: number | null
      figures: {
        downtime_hours: number
        downtime_count: number | null
        uptime_percent: number | null
        repair_event_count: number | null
        failure_event_count: number | null
        mttr_hours: number | null
        mtbf_hours: number | null
        planned_hours: number | null
        run_hours: number | null
        oee_pct: number | null
        availability_pct: number | null
        performance_pct: number | null
        quality_pct: number | null
        part_count: number | null
        good_part_count: number | null
        alert_count: number | null
        critical_alert_count: number | null
      }
      previous: {
        downtime_hours: number
        downtime_count: number | null
        uptime_percent: number | null
        repair_event_count: number | null
        failure_event_count: number | null
        mttr_hours: number | null
        mtbf_hours: number | null
        planned_hours: number | null
        run_hours: number | null
        oee_pct: number | null
        availability_pct: number | null
        performance_pct: number | null
        quality_pct: number | null
        part_count: number | null
        good_part_count: number | null
        alert_count: number | null
        critical_alert_count: number | null
      } | null
      change: {
        downtime_hours: number | null
        downtime_count: number | null
        uptime_percent: number | null
        repair_event_count: number | null
        failure_event_count: number | null
        mttr_hours: number | null
        mtbf_hours: number | null
        planned_hours: number | null
        run_hours: number | null
        oee_pct: number | null
        availability_pct: number | null
        performance_pct: number | null
        quality_pct: number | null
        part_count: number | null
        good_part_count: number | null
        alert_count: number | null
        critical_alert_count: number | null
      } | null
    }
    PlantSettings: {
      time_zone: string
      non_production_days: components['schemas']['NonProductionDay'][]
      auto_shift_logs: boolean
      version: string
    }
    NonProductionDay: {
      date: string
      name: string
      group_id: string | null
    }
    PlantSettingsPatch: {
      time_zone?: string
      non_production_days?: components['schemas']['NonProductionDayGiven'][]
      auto_shift_logs?: boolean
    }
    NonProductionDayGiven: {
      date: string
      name: string
      group_id?: string | null
    }
    NonProductionDaysImported: {
      total_rows: number
      success_count: number
      failed_count: number
      errors: {
        row: number
        reason: string
        faults: {
          path: string
          message: string
          code: components['schemas']['FieldErrorCode']
          params: {
            [key: string]: string | number
          }
        }[]
      }[]
    }
    ShiftDefinition: {
      id: string
      group_id: string | null
      name: string
      start_time: string
      end_time: string
      duration_minutes: number
      color: string
      is_active: boolean
      sort_order: number
      created_at: string
      updated_at: string
      version: string
    }
    ShiftDefinitionCreate: {
      group_id?: string | null
      name: string
      start_time: string
      end_time: string
      duration_minutes?: number
      color?: string
      is_active?: boolean
      sort_order?: number
    }
    ShiftDefinitionPut: {
      group_id?: string | null
      name?: string
      start_time?: string
      end_time?: string
      duration_minutes?: number
      color?: string
      is_active?: boolean
      sort_order?: number
    }
    ShiftLogPage: {
      items: components['schemas']['ShiftLog'][]
      total: number
      page: number
      page_size: number
    }
    ShiftLog: {
      id: string
      machine_id: string
      machine_name: string
      shift_definition_id: string
      shift_date: string
      actual_start: string
      actual_end: string | null
      supervisor: string | null
      operator_count: number | null
      handover_notes: string | null
      status: 'active' | 'completed' | 'cancelled'
      shift_name: string
      shift_color: string
      duration_minutes: number | null
      is_automatic: boolean
      created_at: string
      updated_at: string
      version: string
    }
    ShiftLogCreate: {
      machine_id: string
      shift_definition_id: string
      shift_date: string
      actual_start: string
      actual_end?: string
      supervisor?: '' | string | null
      operator_count?: number | null
      handover_notes?: '' | string | null
      status?: 'active' | 'completed' | 'cancelled'
    }
    ShiftLogPatch: {
      actual_start?: string
      actual_end?: string
      supervisor?: '' | string | null
      operator_count?: number | null
      handover_notes?: '' | string | null
      status?: 'active' | 'completed' | 'cancelled'
    }
    ShiftHandover: {
      shift_log: components['schemas']['ShiftLog'] & unknown
      alerts_during_shift: {
        id: string
        severity: 'info' | 'warning' | 'critical'
        metric_name: string
        unit: string
        trigger_value: number
        threshold_value: number
        comparison: '>' | '>=' | '<' | '<=' | '==' | null
        rule_kind: 'threshold' | 'composite' | null
        rule_name: string | null
        description: string
        created_at: string
      }[]
      downtime_during_shift: {
        id: string
        reason_type: 'planned' | 'unplanned' | 'changeover' | 'maintenance'
        reason_note: string | null
        started_at: string
        ended_at: string | null
        duration_minutes: number | null
      }[]
      micro_stops: {
        reason_type: 'planned' | 'unplanned' | 'changeover' | 'maintenance'
        reason_code: components['schemas']['EmbeddedReasonCode'] & unknown
        count: number
        minutes: number
      }[]
      notes: components['schemas']['Note'][]
      total_downtime_minutes: number
      alert_count: number
    }
    ActiveShiftLog: {
      id: string
      machine_id: string
      machine_name: string
      shift_definition_id: string
      shift_date: string
      actual_start: string
      actual_end: string | null
      supervisor: string | null
      operator_count: number | null
      handover_notes: string | null
      status: 'active' | 'completed' | 'cancelled'
      shift_name: string
      shift_color: string
      duration_minutes: number | null
      is_automatic: boolean
      created_at: string
      updated_at: string
      version: string
      elapsed_minutes: number
    }
    ShiftComparison: {
      machine_id: string | null
      from_date: string
      to_date: string
      shifts: {
        shift_definition_id: string
        shift_name: string
        shift_color: string
        record_count: number
        avg_oee_pct: number | null
        avg_availability_pct: number | null
        avg_performance_pct: number | null
        avg_quality_pct: number | null
        total_downtime_minutes: number
        avg_planned_production_minutes: number | null
        weighted: {
          oee_pct: number | null
          availability_pct: number | null
          performance_pct: number | null
          quality_pct: number | null
        }
      }[]
    }
    MachineOee: {
      machine_id: string
      interval: 'shift' | '1h' | '1d'
      start: string
      end: string
      time_zone: string
      weighted: {
        oee_pct: number | null
        availability_pct: number | null
        performance_pct: number | null
        quality_pct: number | null
      }
      totals: {
        planned_minutes: number
        availability_loss_minutes: number
        performance_loss_minutes: number
        quality_loss_minutes: number
        ignored_dips: number
      }
      periods: {
        start: string
        end: string
        shift_log_id: string | null
        shift_name: string | null
        planned_minutes: number
        run_minutes: number
        downtime_minutes: number
        losses: {
          not_scheduled_minutes: number
          availability_loss_minutes: number
          performance_loss_minutes: number
          quality_loss_minutes: number
        }
        total_count: number | null
        good_count: number | null
        ideal_cycle_seconds: number | null
        ignored_dips: number
        performance_source: 'counters' | 'time_losses' | null
        quality_source: 'counters' | 'time_losses' | null
        availability_pct: number | null
        performance_pct: number | null
        quality_pct: number | null
        oee_pct: number | null
      }[]
    }
    ErpConnection:
      | components['schemas']['ErpConnectionErpA']
      | components['schemas']['ErpConnectionErpB']
      | components['schemas']['ErpConnectionErpC']
    ErpConnectionCreate:
      | components['schemas']['ErpConnectionCreateErpA']
      | components['schemas']['ErpConnectionCreateErpB']
      | components['schemas']['ErpConnectionCreateErpC']
    ErpConnectionPatch: {
      name?: string
      config?: {
        [key: string]: unknown
      }
      is_active?: boolean
      auto_push_work_orders?: boolean
      auto_push_production_data?: boolean
      auto_push_downtime?: boolean
      auto_pull_assets?: boolean
      sync_interval_minutes?: number
      field_mapping?: {
        [key: string]: string
      }
      provider?: 'erp_a' | 'erp_b' | 'erp_c'
    }
    ErpConnectionTest: {
      success: boolean
      message: string
      fault: components['schemas']['Fault'] & unknown
      provider: 'erp_a' | 'erp_b' | 'erp_c'
      reachable: boolean
      authenticated: boolean
      entities: {
        work_order: components['schemas']['ErpEntityCheck']
        production_data: components['schemas']['ErpEntityCheck'] & unknown
        downtime: components['schemas']['ErpEntityCheck'] & unknown
        machine: components['schemas']['ErpEntityCheck'] & unknown
      }
    }
    ErpEntityCheck: {
      ok: boolean
      message: string
      fault: components['schemas']['Fault'] & unknown
    }
    ErpPreview: {
      action: 'create' | 'update' | 'none'
      external_id: string | null
      is_changed: boolean
      request: components['schemas']['ErpPreparedRequest']
      problems: string[]
      faults: components['schemas']['Fault'][]
    }
    ErpPreparedRequest: {
      method: string
      url: string
      headers: {
        [key: string]: string
      }
      body?: unknown
    } | null
    ErpPreviewCreate: {
      entity_type: 'work_order' | 'production_data' | 'downtime'
      entity_id: string
    }
    ErpSyncLog: {
      id: string
      erp_connection_id: string
      run_id: string
      direction: 'outbound' | 'inbound'
      entity_type: 'work_order' | 'production_data' | 'downtime' | 'machine'
      entity_id: string | null
      external_id: string | null
      status: 'success' | 'failed' | 'skipped'
      error_message: string | null
      fault: components['schemas']['Fault'] & unknown
      request_summary: string | null
      response_summary: string | null
      created_at: string
    }
    ErpSyncCreate: {
      direction: 'outbound' | 'inbound'
      entity_type: 'work_order' | 'production_data' | 'downtime' | 'machine'
      entity_id?: string | null
    }
    ErpSyncLogPage: {
      items: components['schemas']['ErpSyncLog'][]
      total: number
      page: number
      page_size: number
      next_cursor: string | null
    }
    ErpRunPage: {
      items: components['schemas']['ErpRun'][]
      total: number
      page: number
      page_size: number
    }
    ErpRun: {
      id: string
      erp_connection_id: string
      direction: 'outbound' | 'inbound'
      entity_type: 'work_order' | 'production_data' | 'downtime' | 'machine'
      entity_id: string | null
      trigger: 'manual' | 'automatic'
      status: 'running' | 'success' | 'partial' | 'failed'
      total: number | null
      succeeded: number
      failed: number
      skipped: number
      error_message: string | null
      fault: components['schemas']['Fault'] & unknown
      started_at: string
      ended_at: string | null
    }
    IngestSourceOpcua: {
      id: string
      tenant_id: string
      machine_id: string
      name: string
      protocol: 'opcua'
      host: string
      port: number
      poll_interval_seconds: number
      is_active: boolean
      config: {
        endpoint_path?: string
        security_mode?: 'None' | 'Sign' | 'SignAndEncrypt'
        security_policy?: 'None' | 'Basic256Sha256' | 'Aes128_Sha256_RsaOaep' | 'Aes256_Sha256_RsaPss'
        username?: string
        password?: string
        server_thumbprint?: string
        mode?: 'poll' | 'subscribe'
        max_requests_per_second?: number
        pause_ms?: number
        history_hours?: number
        timeout_ms?: number
        timestamps?: 'source' | 'server' | 'agent'
        max_clock_offset_seconds?: number
        nodes?: {
          node_id: string
          index_range?: number | string
          metric_name: string
          unit: string
          machine_identifier?: string
          scale?: number
          offset?: number
          invalid?: number[]
          min?: number
          max?: number
          values?: {
            [key: string]: number
          }
          deadband?: number
        }[]
        agent_id?: string
      }
      last_polled_at: string | null
      last_error: string | null
      last_fault: components['schemas']['Fault']
      created_at: string
      updated_at: string
      version: string
    }
    IngestSourceModbus: {
      id: string
      tenant_id: string
      machine_id: string
      name: string
      protocol: 'modbus'
      host: string
      port: number
      poll_interval_seconds: number
      is_active: boolean
      config: {
        unit_id?: number
        answers_as?: number
        framing?: 'tcp' | 'rtu'
        timeout_ms?: number
        max_gap?: number
        max_registers?: number
        max_coils?: number
        timestamps?: 'agent'
        max_requests_per_second?: number
        pause_ms?: number
        registers?: {
          table?: 'holding' | 'input' | 'coil' | 'discrete'
          address: number
          data_type?:
            | 'bool'
            | 'int8_low'
            | 'uint8_low'
            | 'int8_high'
            | 'uint8_high'
            | 'int16'
            | 'uint16'
            | 'int32'
            | 'uint32'
            | 'int48'
            | 'uint48'
            | 'int64'
            | 'uint64'
            | 'float32'
            | 'float64'
            | 'bcd16'
            | 'bcd32'
            | 'string'
          byte_order?: 'ABCD' | 'CDAB' | 'BADC' | 'DCBA'
          bit?: number
          length?: number
          scale?: number
          offset?: number
          invalid?: number[]
          min?: number
          max?: number
          values?: {
            [key: string]: number
          }
          metric_name: string
          unit: string
          machine_identifier?: string
        }[]
        agent_id?: string
      }
      last_polled_at: string | null
      last_error: string | null
      last_fault: components['schemas']['Fault']
      created_at: string
      updated_at: string
      version: string
    }
    IngestSourceCreateOpcua: {
      machine_id: string
      name: string
      protocol: 'opcua'
      host: string
      port: number
      poll_interval_seconds?: number
      is_active?: boolean
      config: {
        endpoint_path?: string
        security_mode?: 'None' | 'Sign' | 'SignAndEncrypt'
        security_policy?: 'None' | 'Basic256Sha256' | 'Aes128_Sha256_RsaOaep' | 'Aes256_Sha256_RsaPss'
        username?: string
        password?: string
        server_thumbprint?: string
        mode?: 'poll' | 'subscribe'
        max_requests_per_second?: number
        pause_ms?: number
        history_hours?: number
        timeout_ms?: number
        timestamps?: 'source' | 'server' | 'agent'
        max_clock_offset_seconds?: number
        nodes?: {
          node_id: string
          index_range?: number | string
          metric_name: string
          unit: string
          machine_identifier?: string
          scale?: number
          offset?: number
          invalid?: number[]
          min?: number
          max?: number
          values?: {
            [key: string]: number
          }
          deadband?: number
        }[]
        agent_id?: string
      }
    }
    IngestSourceCreateModbus: {
      machine_id: string
      name: string
      protocol: 'modbus'
      host: string
      port: number
      poll_interval_seconds?: number
      is_active?: boolean
      config: {
        unit_id?: number
        answers_as?: number
        framing?: 'tcp' | 'rtu'
        timeout_ms?: number
        max_gap?: number
        max_registers?: number
        max_coils?: number
        timestamps?: 'agent'
        max_requests_per_second?: number
        pause_ms?: number
        registers?: {
          table?: 'holding' | 'input' | 'coil' | 'discrete'
          address: number
          data_type?:
            | 'bool'
            | 'int8_low'
            | 'uint8_low'
            | 'int8_high'
            | 'uint8_high'
            | 'int16'
            | 'uint16'
            | 'int32'
            | 'uint32'
            | 'int48'
            | 'uint48'
            | 'int64'
            | 'uint64'
            | 'float32'
            | 'float64'
            | 'bcd16'
            | 'bcd32'
            | 'string'
          byte_order?: 'ABCD' | 'CDAB' | 'BADC' | 'DCBA'
          bit?: number
          length?: number
          scale?: number
          offset?: number
          invalid?: number[]
          min?: number
          max?: number
          values?: {
            [key: string]: number
          }
          metric_name: string
          unit: string
          machine_identifier?: string
        }[]
        agent_id?: string
      }
    }
    NotificationChannelEmail: {
      id: string
      tenant_id: string
      name: string
      channel_type: 'email'
      config: {
        to_email: string
      }
      is_active: boolean
      notify_on_alert: boolean
      created_by: string
      created_at: string
      version: string
    }
    NotificationChannelWebhook: {
      id: string
      tenant_id: string
      name: string
      channel_type: 'webhook'
      config: {
        url: string
        headers?: {
          [key: string]: string
        }
        signing_secret?: string
      }
      is_active: boolean
      notify_on_alert: boolean
      created_by: string
      created_at: string
      version: string
    }
    NotificationChannelSms: {
      id: string
      tenant_id: string
      name: string
      channel_type: 'sms'
      config: {
        account_sid: string
        auth_token: string
        from_number: string
        to_number: string
        base_url?: string
      }
      is_active: boolean
      notify_on_alert: boolean
      created_by: string
      created_at: string
      version: string
    }
    NotificationChannelChatA: {
      id: string
      tenant_id: string
      name: string
      channel_type: 'chat_a'
      config: {
        webhook_url: string
        base_url?: string
      }
      is_active: boolean
      notify_on_alert: boolean
      created_by: string
      created_at: string
      version: string
    }
    NotificationChannelChatB: {
      id: string
      tenant_id: string
      name: string
      channel_type: 'chat_b'
      config: {
        webhook_url: string
        base_url?: string
      }
      is_active: boolean
      notify_on_alert: boolean
      created_by: string
      created_at: string
      version: string
    }
    NotificationChannelMessengerA: {
      id: string
      tenant_id: string
      name: string
      channel_type: 'messenger_a'
      config: {
        bot_token: string
        chat_id: string | number
        base_url?: string
      }
      is_active: boolean
      notify_on_alert: boolean
      created_by: string
      created_at: string
      version: string
    }
    NotificationChannelIncidentA: {
      id: string
      tenant_id: string
      name: string
      channel_type: 'incident_a'
      config: {
        routing_key: string
        base_url?: string
      }
      is_active: boolean
      notify_on_alert: boolean
      created_by: string
      created_at: string
      version: string
    }
    NotificationChannelIncidentB: {
      id: string
      tenant_id: string
      name: string
      channel_type: 'incident_b'
      config: {
        api_key: string
        region?: 'us' | 'eu'
        base_url?: string
      }
      is_active: boolean
      notify_on_alert: boolean
      created_by: string
      created_at: string
      version: string
    }
    NotificationChannelTicketingA: {
      id: string
      tenant_id: string
      name: string
      channel_type: 'ticketing_a'
      config: {
        base_url: string
        email: string
        api_token: string
        project_key: string
        issue_type?: string
      }
      is_active: boolean
      notify_on_alert: boolean
      created_by: string
      created_at: string
      version: string
    }
    NotificationChannelTicketingB: {
      id: string
      tenant_id: string
      name: string
      channel_type: 'ticketing_b'
      config: {
        instance_url: string
        username: string
        password: string
        table?: string
        base_url?: string
      }
      is_active: boolean
      notify_on_alert: boolean
      created_by: string
      created_at: string
      version: string
    }
    NotificationChannelCreateEmail: {
      name: string
      channel_type: 'email'
      config: {
        to_email: string
      }
      is_active?: boolean
      notify_on_alert?: boolean
    }
    NotificationChannelCreateWebhook: {
      name: string
      channel_type: 'webhook'
      config: {
        url: string
        headers?: {
          [key: string]: string
        }
        signing_secret?: string
      }
      is_active?: boolean
      notify_on_alert?: boolean
    }
    NotificationChannelCreateSms: {
      name: string
      channel_type: 'sms'
      config: {
        account_sid: string
        auth_token: string
        from_number: string
        to_number: string
        base_url?: string
      }
      is_active?: boolean
      notify_on_alert?: boolean
    }
    NotificationChannelCreateChatA: {
      name: string
      channel_type: 'chat_a'
      config: {
        webhook_url: string
        base_url?: string
      }
      is_active?: boolean
      notify_on_alert?: boolean
    }
    NotificationChannelCreateChatB: {
      name: string
      channel_type: 'chat_b'
      config: {
        webhook_url: string
        base_url?: string
      }
      is_active?: boolean
      notify_on_alert?: boolean
    }
    NotificationChannelCreateMessengerA: {
      name: string
      channel_type: 'messenger_a'
      config: {
        bot_token: string
        chat_id: string | number
        base_url?: string
      }
      is_active?: boolean
      notify_on_alert?: boolean
    }
    NotificationChannelCreateIncidentA: {
      name: string
      channel_type: 'incident_a'
      config: {
        routing_key: string
        base_url?: string
      }
      is_active?: boolean
      notify_on_alert?: boolean
    }
    NotificationChannelCreateIncidentB: {
      name: string
      channel_type: 'incident_b'
      config: {
        api_key: string
        region?: 'us' | 'eu'
        base_url?: string
      }
      is_active?: boolean
      notify_on_alert?: boolean
    }
    NotificationChannelCreateTicketingA: {
      name: string
      channel_type: 'ticketing_a'
      config: {
        base_url: string
        email: string
        api_token: string
        project_key: string
        issue_type?: string
      }
      is_active?: boolean
      notify_on_alert?: boolean
    }
    NotificationChannelCreateTicketingB: {
      name: string
      channel_type: 'ticketing_b'
      config: {
        instance_url: string
        username: string
        password: string
        table?: string
        base_url?: string
      }
      is_active?: boolean
      notify_on_alert?: boolean
    }
    ErpConnectionErpA: {
      id: string
      tenant_id: string
      provider: 'erp_a'
      name: string
      config: {
        base_url: string
        paths?: {
          work_order?: string
          production_data?: string
          downtime?: string
          machine?: string
        }
        ca_certificate?: string
        client: string
        username: string
        password: string
      }
      is_active: boolean
      auto_push_work_orders: boolean
      auto_push_production_data: boolean
      auto_push_downtime: boolean
      auto_pull_assets: boolean
      sync_interval_minutes: number
      field_mapping: {
        [key: string]: string
      }
      last_sync_at: string | null
      last_sync_status: 'success' | 'partial' | 'failed' | null
      automatic_runs_paused: boolean
      created_by: string
      created_at: string
      updated_at: string
      version: string
    }
    ErpConnectionErpB: {
      id: string
      tenant_id: string
      provider: 'erp_b'
      name: string
      config: {
        base_url: string
        paths?: {
          work_order?: string
          production_data?: string
          downtime?: string
          machine?: string
        }
        ca_certificate?: string
        tenant_id: string
        client_id: string
        client_secret: string
        token_url?: string
      }
      is_active: boolean
      auto_push_work_orders: boolean
      auto_push_production_data: boolean
      auto_push_downtime: boolean
      auto_pull_assets: boolean
      sync_interval_minutes: number
      field_mapping: {
        [key: string]: string
      }
      last_sync_at: string | null
      last_sync_status: 'success' | 'partial' | 'failed' | null
      automatic_runs_paused: boolean
      created_by: string
      created_at: string
      updated_at: string
      version: string
    }
    ErpConnectionErpC: {
      id: string
      tenant_id: string
      provider: 'erp_c'
      name: string
      config: {
        base_url: string
        paths?: {
          work_order?: string
          production_data?: string
          downtime?: string
          machine?: string
        }
        ca_certificate?: string
        username: string
        password: string
      }
      is_active: boolean
      auto_push_work_orders: boolean
      auto_push_production_data: boolean
      auto_push_downtime: boolean
      auto_pull_assets: boolean
      sync_interval_minutes: number
      field_mapping: {
        [key: string]: string
      }
      last_sync_at: string | null
      last_sync_status: 'success' | 'partial' | 'failed' | null
      automatic_runs_paused: boolean
      created_by: string
      created_at: string
      updated_at: string
      version: string
    }
    ErpConnectionCreateErpA: {
      name: string
      config: {
        base_url: string
        paths?: {
          work_order?: string
          production_data?: string
          downtime?: string
          machine?: string
        }
        ca_certificate?: string
        client: string
        username: string
        password: string
      }
      is_active?: boolean
      auto_push_work_orders?: boolean
      auto_push_production_data?: boolean
      auto_push_downtime?: boolean
      auto_pull_assets?: boolean
      sync_interval_minutes?: number
      field_mapping?: {
        [key: string]: string
      }
      provider: 'erp_a'
    }
    ErpConnectionCreateErpB: {
      name: string
      config: {
        base_url: string
        paths?: {
          work_order?: string
          production_data?: string
          downtime?: string
          machine?: string
        }
        ca_certificate?: string
        tenant_id: string
        client_id: string
        client_secret: string
        token_url?: string
      }
      is_active?: boolean
      auto_push_work_orders?: boolean
      auto_push_production_data?: boolean
      auto_push_downtime?: boolean
      auto_pull_assets?: boolean
      sync_interval_minutes?: number
      field_mapping?: {
        [key: string]: string
      }
      provider: 'erp_b'
    }
    ErpConnectionCreateErpC: {
      name: string
      config: {
        base_url: string
        paths?: {
          work_order?: string
          production_data?: string
          downtime?: string
          machine?: string
        }
        ca_certificate?: string
        username: string
        password: string
      }
      is_active?: boolean
      auto_push_work_orders?: boolean
      auto_push_production_data?: boolean
      auto_push_downtime?: boolean
      auto_pull_assets?: boolean
      sync_interval_minutes?: number
      field_mapping?: {
        [key: string]: string
      }
      provider: 'erp_c'
    }
  }
  responses: {
    Unreadable: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id']
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
        [name: string]: unknown
      }
      content: {
        'application/problem+json': components['schemas']['Problem']
      }
    }
    TooLarge: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id']
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
        [name: string]: unknown
      }
      content: {
        'application/problem+json': components['schemas']['Problem']
      }
    }
    WrongMediaType: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id']
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
        [name: string]: unknown
      }
      content: {
        'application/problem+json': components['schemas']['Problem']
      }
    }
    Invalid: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id']
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
        [name: string]: unknown
      }
      content: {
        'application/problem+json': components['schemas']['Problem']
      }
    }
    Failed: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id']
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
        [name: string]: unknown
      }
      content: {
        'application/problem+json': components['schemas']['Problem']
      }
    }
    RefreshCookieRequired: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id']
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
        'WWW-Authenticate': components['headers']['WWW-Authenticate']
        [name: string]: unknown
      }
      content: {
        'application/problem+json': components['schemas']['Problem']
      }
    }
    RateLimited: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id']
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
        'Retry-After': components['headers']['Retry-After']
        [name: string]: unknown
      }
      content: {
        'application/problem+json': components['schemas']['Problem']
      }
    }
    Unavailable: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id']
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
        'Retry-After': components['headers']['Retry-After']
        [name: string]: unknown
      }
      content: {
        'application/problem+json': components['schemas']['Problem']
      }
    }
    SignInRequired: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id']
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
        'WWW-Authenticate': components['headers']['WWW-Authenticate']
        [name: string]: unknown
      }
      content: {
        'application/problem+json': components['schemas']['Problem']
      }
    }
    UserRequired: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id']
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
        [name: string]: unknown
      }
      content: {
        'application/problem+json': components['schemas']['Problem']
      }
    }
    HigherRoleRequired: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id']
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
        [name: string]: unknown
      }
      content: {
        'application/problem+json': components['schemas']['Problem']
      }
    }
    MfaRequired: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id']
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
        [name: string]: unknown
      }
      content: {
        'application/problem+json': components['schemas']['Problem']
      }
    }
    UnreadableForm: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id']
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
        [name: string]: unknown
      }
      content: {
        'application/problem+json': components['schemas']['Problem']
      }
    }
    ApiKeyRequired: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id']
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
        'WWW-Authenticate': components['headers']['WWW-Authenticate']
        [name: string]: unknown
      }
      content: {
        'application/problem+json': components['schemas']['Problem']
      }
    }
    EnrolmentKeyRequired: {
      headers: {
        'X-Request-Id': components['headers']['X-Request-Id']
        'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
        'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
        'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
        'WWW-Authenticate': components['headers']['WWW-Authenticate']
        [name: string]: unknown
      }
      content: {
        'application/problem+json': components['schemas']['Problem']
      }
    }
  }
  parameters: never
  requestBodies: never
  headers: {
    'X-Request-Id': string
    'X-RateLimit-Limit': number
    'X-RateLimit-Remaining': number
    'X-RateLimit-Reset': number
    'Retry-After': number
    'WWW-Authenticate': string
  }
  pathItems: never
}
export type $defs = Record<string, never>
export interface operations {
  registerTenant: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['Register']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Set-Cookie'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Token']
        }
      }
      400: components['responses']['Unreadable']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  signIn: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['Login']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Set-Cookie'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Token']
        }
      }
      400: components['responses']['Unreadable']
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'WWW-Authenticate': components['headers']['WWW-Authenticate']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  refreshToken: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Set-Cookie'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Token']
        }
      }
      401: components['responses']['RefreshCookieRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  signOut: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Set-Cookie'?: string
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['UserRequired']
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getCurrentUser: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CurrentUser']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['UserRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  setupMfa: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['Reauthentication']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MfaSetup']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  verifyMfaSetup: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['MfaVerifySetup']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CurrentUser']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  verifyMfa: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['MfaVerify']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Set-Cookie'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Token']
        }
      }
      400: components['responses']['Unreadable']
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'WWW-Authenticate': components['headers']['WWW-Authenticate']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  disableMfa: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['MfaCode']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CurrentUser']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listApiKeys: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ApiKey'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createApiKey: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ApiKeyCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CreatedApiKey']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  revokeApiKey: {
    parameters: {
      query?: never
      header?: never
      path: {
        key_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listRoles: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Role'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createRole: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['RoleCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Role']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deleteRole: {
    parameters: {
      query?: never
      header?: never
      path: {
        key: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateRole: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        key: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['RolePatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Role']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listUsers: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['User'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createUser: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['UserCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['User']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listUserDirectory: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DirectoryEntry'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  inviteUser: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['InvitationCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['User']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deactivateUser: {
    parameters: {
      query?: never
      header?: never
      path: {
        user_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateUser: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        user_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['UserPatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['User']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  changeUserRole: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        user_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['UserRole']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['User']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  resetUserMfa: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        user_id: string
      }
      cookie?: never
    }
    requestBody?: {
      content: {
        'application/json': components['schemas']['Reauthentication']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['User']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  acceptInvitation: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['InvitationAccept']
      }
    }
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      400: components['responses']['Unreadable']
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'WWW-Authenticate': components['headers']['WWW-Authenticate']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  requestPasswordReset: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['PasswordResetRequest']
      }
    }
    responses: {
      202: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      400: components['responses']['Unreadable']
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  confirmPasswordReset: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['PasswordResetConfirm']
      }
    }
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      400: components['responses']['Unreadable']
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'WWW-Authenticate': components['headers']['WWW-Authenticate']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listTokens: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ProgramToken'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createToken: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['TokenCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CreatedProgramToken']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listAllTokens: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ProgramToken'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  revokeToken: {
    parameters: {
      query?: never
      header?: never
      path: {
        access_token_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listServiceAccounts: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ServiceAccount'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createServiceAccount: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ServiceAccountCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ServiceAccount']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateServiceAccount: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        service_account_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ServiceAccountPatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ServiceAccount']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createServiceAccountToken: {
    parameters: {
      query?: never
      header?: never
      path: {
        service_account_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['TokenCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CreatedProgramToken']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateProfile: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ProfilePatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CurrentUser']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  changePassword: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['PasswordChange']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Set-Cookie'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Token']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  endOtherSessions: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getEmailNotificationSettings: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['EmailNotifications']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateEmailNotificationSettings: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['EmailNotificationsPatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['EmailNotifications']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getSecuritySettings: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SecuritySettings']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateSecuritySettings: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['SecuritySettingsPatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SecuritySettings']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getTenantLimits: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['TenantLimits']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getReportSchedule: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ReportSettings']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateReportSchedule: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ReportSettingsPatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ReportSettings']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getUnitSettings: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['UnitSettings']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateUnitSettings: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['UnitSettingsPatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['UnitSettings']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listSupportedUnits: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SupportedUnits']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  checkSso: {
    parameters: {
      query: {
        email: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Set-Cookie'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SsoCheck']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  completeSso: {
    parameters: {
      query: {
        state: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      302: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          Location?: string
          [name: string]: unknown
        }
        content?: never
      }
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'WWW-Authenticate': components['headers']['WWW-Authenticate']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  exchangeSsoCode: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['SsoExchange']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Set-Cookie'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Token']
        }
      }
      400: components['responses']['Unreadable']
      401: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'WWW-Authenticate': components['headers']['WWW-Authenticate']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getSsoConfig: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SsoConfig']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createSsoConfig: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['SsoConfigCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SsoConfig']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  deleteSsoConfig: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateSsoConfig: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['SsoConfigPatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SsoConfig']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  verifySsoDomain: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SsoConfig']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listAuditEntries: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
        cursor?: string
        actor_id?: string
        action?: string
        kind?: 'security'
        target_type?: string
        target_id?: string
        start?: string
        end?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AuditPage']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listMachines: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
        group_id?: string
        search?: string
        status?: 'healthy' | 'warning' | 'critical' | 'offline'
        is_active?: 'true' | 'false' | 'all'
        sort_by?: 'name' | 'machine_identifier' | 'status' | 'location' | 'updated_at' | 'created_at'
        sort_dir?: 'asc' | 'desc'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MachinePage']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createMachine: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['MachineCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Machine']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  importMachines: {
    parameters: {
      query?: {
        dry_run?: 'true' | 'false'
      }
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'multipart/form-data': {
          file: string
        }
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MachineImport']
        }
      }
      400: components['responses']['UnreadableForm']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  getMachineImportTemplate: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Content-Disposition'?: string
          [name: string]: unknown
        }
        content: {
          'text/csv': string
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getMachine: {
    parameters: {
      query?: never
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Machine']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deactivateMachine: {
    parameters: {
      query?: never
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateMachine: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['MachinePatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Machine']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listMachineGroups: {
    parameters: {
      query?: {
        group_type?: 'site' | 'line' | 'department' | 'custom'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MachineGroup'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createMachineGroup: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['MachineGroupCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MachineGroupWithMembers']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getMachineGroupTree: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MachineGroupNode'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listSiteConflicts: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SiteConflicts']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getMachineGroup: {
    parameters: {
      query?: never
      header?: never
      path: {
        group_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MachineGroupWithMembers']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateMachineGroup: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        group_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['MachineGroupPut']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MachineGroupWithMembers']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deleteMachineGroup: {
    parameters: {
      query?: never
      header?: never
      path: {
        group_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  replaceMachineGroupMembers: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        group_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['MachineGroupMembers']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MachineGroupWithMembers']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listTagMappings: {
    parameters: {
      query?: never
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['TagMapping'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  suggestTagMappings: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['AutoMap']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AutoMapResult']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateTagMapping: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        mapping_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['TagMappingPatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['TagMapping']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  confirmTagMapping: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        mapping_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['TagMapping']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listLatestReadings: {
    parameters: {
      query?: never
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['LatestReadings']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listReadings: {
    parameters: {
      query?: {
        start?: string
        end?: string
        metric?: string
        interval?: '1m' | '5m' | '15m' | '1h' | '6h' | '1d'
        timezone?: string
        bom?: boolean
      }
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ReadingSeries'][]
          'text/csv': string
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listReadingSeries: {
    parameters: {
      query: {
        series: string[]
        start?: string
        end?: string
        interval?: '1m' | '5m' | '15m' | '1h' | '6h' | '1d'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MachineReadingSeries'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getMachineSummary: {
    parameters: {
      query?: {
        start?: string
        end?: string
      }
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MachineSummary']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listBaselines: {
    parameters: {
      query?: never
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Baseline'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listFleetPredictions: {
    parameters: {
      query?: {
        language?: string
        page?: number
        page_size?: number
        group_id?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'X-Total-Count'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['FleetPredictions']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getMachinePrediction: {
    parameters: {
      query?: {
        language?: string
      }
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HealthPrediction']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getMachinePredictionNarrative: {
    parameters: {
      query?: {
        language?: string
      }
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Narrative']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getMachinePredictionHistory: {
    parameters: {
      query?: {
        days?: number
      }
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['PredictionHistory']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getPredictionSettings: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['PredictionSettings']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updatePredictionSettings: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['PredictionSettingsPatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['PredictionSettings']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getAnomalySummary: {
    parameters: {
      query?: never
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AnomalySummary']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listAnomalies: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
        metric_name?: string
        is_open?: boolean
        start?: string
        end?: string
      }
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AnomalyPage']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  ingestReadings: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': {
          readings: {
            machine_identifier: string
            timestamp: string
            metric_name: string
            value: number
            unit: string
            raw_tag?: string | null
            idempotency_key?: string | null
          }[]
          agent_id?: string
        }
      }
    }
    responses: {
      207: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['IngestResult']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['ApiKeyRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listIngestSources: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['IngestSource'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createIngestSource: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['IngestSourceCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['IngestSource']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getIngestSource: {
    parameters: {
      query?: never
      header?: never
      path: {
        source_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['IngestSource']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateIngestSource: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        source_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['IngestSourcePut']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['IngestSource']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deleteIngestSource: {
    parameters: {
      query?: never
      header?: never
      path: {
        source_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  testIngestSource: {
    parameters: {
      query?: never
      header?: never
      path: {
        source_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ConnectionTest']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  browseIngestSource: {
    parameters: {
      query?: never
      header?: never
      path: {
        source_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['SourceBrowse']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SourceBrowseAnswer']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  answerAgentBrowse: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['AgentBrowseAnswer']
      }
    }
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      400: components['responses']['Unreadable']
      401: components['responses']['ApiKeyRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listAlertRules: {
    parameters: {
      query?: {
        machine_id?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AlertRule'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createAlertRule: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['AlertRuleCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AlertRule']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateAlertRule: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        rule_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['AlertRulePut']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AlertRule']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deleteAlertRule: {
    parameters: {
      query?: never
      header?: never
      path: {
        rule_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listCompositeRules: {
    parameters: {
      query?: {
        machine_id?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CompositeRule'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createCompositeRule: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['CompositeRuleCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CompositeRule']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateCompositeRule: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        rule_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['CompositeRulePut']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CompositeRule']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deleteCompositeRule: {
    parameters: {
      query?: never
      header?: never
      path: {
        rule_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  suggestAlertRules: {
    parameters: {
      query?: {
        language?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['RuleSuggestions']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  backtestAlertRule: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['RuleBacktest']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['RuleBacktestResult']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listEscalationPolicies: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['EscalationPolicy'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createEscalationPolicy: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['EscalationPolicyCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['EscalationPolicy']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateEscalationPolicy: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        policy_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['EscalationPolicyPut']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['EscalationPolicy']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deleteEscalationPolicy: {
    parameters: {
      query?: never
      header?: never
      path: {
        policy_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listAlerts: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
        cursor?: string
        machine_id?: string
        rule_id?: string
        group_id?: string
        severity?: 'info' | 'warning' | 'critical'
        start_date?: string
        end_date?: string
        is_acknowledged?: boolean
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AlertPage']
          'text/csv': string
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getAlertStats: {
    parameters: {
      query?: {
        group_id?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AlertStats']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listAlertGroups: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
        machine_id?: string
        rule_id?: string
        group_id?: string
        severity?: 'info' | 'warning' | 'critical'
        start_date?: string
        end_date?: string
        is_acknowledged?: boolean
        sort_by?: 'last_raised_at' | 'alert_count' | 'severity'
        sort_dir?: 'asc' | 'desc'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AlertGroupPage']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  acknowledgeAlerts: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['BulkAcknowledge']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['BulkAcknowledged']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getAlert: {
    parameters: {
      query?: never
      header?: never
      path: {
        alert_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Alert']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  acknowledgeAlert: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        alert_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Alert']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  snoozeAlert: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        alert_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['AlertSnooze']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Alert']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listAlertComments: {
    parameters: {
      query?: never
      header?: never
      path: {
        alert_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CommentList']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createAlertComment: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        alert_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['CommentCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Comment']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listAlertHistory: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
      }
      header?: never
      path: {
        alert_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AlertHistoryPage']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  streamEvents: {
    parameters: {
      query?: {
        machine_id?: string[]
        group_id?: string
        readings_of?: ('none' | string)[]
        readings_interval?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'text/event-stream': string
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  getBootstrap: {
    parameters: {
      query?: {
        group_id?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Bootstrap']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['UserRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  searchRecords: {
    parameters: {
      query: {
        q: string
        limit?: number
        group_id?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SearchAnswer']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getPushKey: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['VapidPublicKey']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  subscribePush: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['PushSubscribe']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['PushSubscribed']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  unsubscribePush: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['PushUnsubscribe']
      }
    }
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  testPush: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['PushBrowser']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ChannelTest']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listNotificationChannels: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['NotificationChannel'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createNotificationChannel: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['NotificationChannelCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['NotificationChannel']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateNotificationChannel: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        channel_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['NotificationChannelPut']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['NotificationChannel']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deleteNotificationChannel: {
    parameters: {
      query?: never
      header?: never
      path: {
        channel_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  testNotificationChannel: {
    parameters: {
      query?: never
      header?: never
      path: {
        channel_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ChannelTest']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listNotificationDeliveries: {
    parameters: {
      query?: {
        alert_id?: string
        event?: 'raised' | 'acknowledged' | 'cleared'
        status?: 'delivered' | 'failed'
        page?: number
        page_size?: number
        cursor?: string
      }
      header?: never
      path: {
        channel_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DeliveryAttemptPage']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getAgentSettings: {
    parameters: {
      query?: {
        agent_version?: string
        agent_id?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Directives']
        }
      }
      401: components['responses']['ApiKeyRequired']
      402: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Directives']
        }
      }
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  sendAgentHeartbeat: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['Telemetry']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HeartbeatAnswer']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['ApiKeyRequired']
      402: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['HeartbeatAnswer']
        }
      }
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  checkAgent: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['AgentCheck']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AgentCheckAnswer']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['ApiKeyRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listAgents: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
        group_id?: string
        search?: string
        online?: boolean
        update_available?: boolean
        unsupported?: boolean
        has_faults?: boolean
        credential?: 'enrolled' | 'api_key' | 'released'
        retired?: boolean
        sort_by?:
          | 'agent_id'
          | 'agent_version'
          | 'last_seen'
          | 'buffer_count'
          | 'buffer_age_hours'
          | 'buffer_full_in_hours'
          | 'missed_poll_count'
          | 'dead_letter_count'
          | 'dropped_count'
        sort_dir?: 'asc' | 'desc'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'X-Total-Count'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AgentFleet']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateAgent: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        agent_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['AgentPatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['FleetAgent']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  requeueAgentReadings: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        agent_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      202: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AgentRequeue']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  retireAgent: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        agent_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listDataGaps: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
      }
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DataGapPage']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listAgentReleases: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AgentRelease'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  downloadAgentRelease: {
    parameters: {
      query: {
        agent_id: string
      }
      header?: never
      path: {
        version: string
        platform: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          ETag?: string
          'Accept-Ranges'?: string
          [name: string]: unknown
        }
        content: {
          'application/octet-stream': string
        }
      }
      401: components['responses']['ApiKeyRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      416: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  downloadAgentArchive: {
    parameters: {
      query?: never
      header?: never
      path: {
        version: string
        platform: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          ETag?: string
          'Accept-Ranges'?: string
          [name: string]: unknown
        }
        content: {
          'application/octet-stream': string
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      416: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listAgentRollouts: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AgentRolloutPage']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createAgentRollout: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['AgentRolloutBody']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AgentRolloutDetail']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getAgentRollout: {
    parameters: {
      query?: never
      header?: never
      path: {
        rollout_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AgentRolloutDetail']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  pauseAgentRollout: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        rollout_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AgentRollout']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  resumeAgentRollout: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        rollout_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AgentRollout']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  cancelAgentRollout: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        rollout_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['AgentRollout']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listEnrolmentKeys: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['EnrolmentKey'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createEnrolmentKey: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['EnrolmentKeyCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CreatedEnrolmentKey']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deleteEnrolmentKey: {
    parameters: {
      query?: never
      header?: never
      path: {
        enrolment_key_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getEnrolment: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['EnrolmentOffer']
        }
      }
      401: components['responses']['EnrolmentKeyRequired']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  enrollAgent: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['Enrolment']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['IssuedCredential']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['EnrolmentKeyRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  rotateAgentCredential: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['IssuedCredential']
        }
      }
      401: components['responses']['ApiKeyRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  releaseAgent: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        agent_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listWorkOrders: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
        machine_id?: string
        group_id?: string
        alert_id?: string
        status?: ('open' | 'in_progress' | 'completed' | 'cancelled')[]
        priority?: ('low' | 'medium' | 'high' | 'critical')[]
        assigned_to?: string
        overdue?: boolean
        search?: string
        sort_by?: 'created_at' | 'updated_at' | 'due_date' | 'priority' | 'status' | 'title'
        sort_dir?: 'asc' | 'desc'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['WorkOrderList']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createWorkOrder: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['WorkOrderCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['WorkOrder']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getWorkOrder: {
    parameters: {
      query?: never
      header?: never
      path: {
        work_order_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['WorkOrder']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deleteWorkOrder: {
    parameters: {
      query?: never
      header?: never
      path: {
        work_order_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateWorkOrder: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        work_order_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['WorkOrderPatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['WorkOrder']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listWorkOrderInstructions: {
    parameters: {
      query?: never
      header?: never
      path: {
        work_order_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['InstructionList']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createWorkOrderInstruction: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        work_order_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['InstructionCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Instruction']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getWorkOrderInstruction: {
    parameters: {
      query?: never
      header?: never
      path: {
        work_order_id: string
        instruction_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Instruction']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deleteWorkOrderInstruction: {
    parameters: {
      query?: never
      header?: never
      path: {
        work_order_id: string
        instruction_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateWorkOrderInstruction: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        work_order_id: string
        instruction_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['InstructionPatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Instruction']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listWorkOrderComments: {
    parameters: {
      query?: never
      header?: never
      path: {
        work_order_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CommentList']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createWorkOrderComment: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        work_order_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['CommentCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Comment']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listWorkOrderHistory: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
      }
      header?: never
      path: {
        work_order_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['WorkOrderHistory']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listWorkOrderSignoffs: {
    parameters: {
      query?: never
      header?: never
      path: {
        work_order_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Signoff'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  signWorkOrder: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        work_order_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['SignoffCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Signoff']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  verifyWorkOrderSignoff: {
    parameters: {
      query?: never
      header?: never
      path: {
        work_order_id: string
        signoff_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['SignoffVerification']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listMaintenanceEvents: {
    parameters: {
      query?: {
        machine_id?: string
        group_id?: string
        status?: 'scheduled' | 'in_progress' | 'completed' | 'cancelled'
        start_after?: string
        end_before?: string
        end_after?: string
        start_before?: string
        page?: number
        page_size?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'X-Total-Count'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MaintenanceEvent'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createMaintenanceEvent: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['MaintenanceEventCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MaintenanceEvent']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getMaintenanceEvent: {
    parameters: {
      query?: never
      header?: never
      path: {
        event_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MaintenanceEvent']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateMaintenanceEvent: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        event_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['MaintenanceEventPut']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MaintenanceEvent']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deleteMaintenanceEvent: {
    parameters: {
      query?: never
      header?: never
      path: {
        event_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createMaintenanceWorkOrder: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        event_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['WorkOrder']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listNotes: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
        machine_id?: string
        group_id?: string
        with_groups?: boolean
        from?: string
        to?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['NotePage']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createNote: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['NoteCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Note']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getNote: {
    parameters: {
      query?: never
      header?: never
      path: {
        note_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Note']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deleteNote: {
    parameters: {
      query?: never
      header?: never
      path: {
        note_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateNote: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        note_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['NotePatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Note']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listChecklists: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Checklist'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createChecklist: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ChecklistCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Checklist']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getChecklist: {
    parameters: {
      query?: never
      header?: never
      path: {
        checklist_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Checklist']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateChecklist: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        checklist_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ChecklistPut']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Checklist']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deleteChecklist: {
    parameters: {
      query?: never
      header?: never
      path: {
        checklist_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listCalendarTokens: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['CalendarToken'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createCalendarToken: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['CalendarTokenCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['NewCalendarToken']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  revokeCalendarToken: {
    parameters: {
      query?: never
      header?: never
      path: {
        token_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  uploadAttachment: {
    parameters: {
      query?: {
        work_order_id?: string
        maintenance_event_id?: string
      }
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'multipart/form-data': {
          file: string
        }
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Attachment']
        }
      }
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  listWorkOrderAttachments: {
    parameters: {
      query?: never
      header?: never
      path: {
        work_order_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Attachment'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listMaintenanceAttachments: {
    parameters: {
      query?: never
      header?: never
      path: {
        event_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Attachment'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getAttachment: {
    parameters: {
      query?: never
      header?: never
      path: {
        attachment_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Attachment']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deleteAttachment: {
    parameters: {
      query?: never
      header?: never
      path: {
        attachment_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  downloadAttachment: {
    parameters: {
      query?: never
      header?: never
      path: {
        attachment_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          ETag?: string
          'Accept-Ranges'?: string
          'Content-Disposition'?: string
          [name: string]: unknown
        }
        content: {
          'application/octet-stream': string
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      416: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  downloadWorkOrderCertificate: {
    parameters: {
      query?: never
      header?: never
      path: {
        work_order_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Content-Disposition'?: string
          ETag?: string
          [name: string]: unknown
        }
        content: {
          'application/pdf': string
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
    }
  }
  getDowntimeDetection: {
    parameters: {
      query?: never
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DowntimeDetection']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateDowntimeDetection: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['DowntimeDetectionPut']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DowntimeDetection']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listReasonCodes: {
    parameters: {
      query?: {
        active_only?: boolean
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ReasonCode'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createReasonCode: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ReasonCodeCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ReasonCode']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getReasonCodeTree: {
    parameters: {
      query?: {
        active_only?: boolean
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ReasonCodeNode'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateReasonCode: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        code_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ReasonCodePut']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ReasonCode']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listMachineDowntime: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
      }
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DowntimeRecord'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createDowntime: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['DowntimeCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DowntimeRecord']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateDowntime: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        machine_id: string
        record_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['DowntimePut']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DowntimeRecord']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  endDowntime: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        machine_id: string
        record_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DowntimeRecord']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  splitDowntime: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        machine_id: string
        record_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['DowntimeSplit']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DowntimeRecord'][]
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  mergeDowntime: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        machine_id: string
        record_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['DowntimeMerge']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DowntimeRecord']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listFleetDowntime: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
        cursor?: string
        machine_id?: string
        group_id?: string
        machine_ids?: string
        reason_type?: 'planned' | 'unplanned' | 'changeover' | 'maintenance'
        reason_code_id?: string
        source?: 'manual' | 'automatic'
        status?: 'ongoing' | 'completed'
        ended_after?: string
        date_from?: string
        date_to?: string
        sort_by?: 'started_at' | 'ended_at' | 'duration_minutes' | 'reason_type' | 'created_at'
        sort_dir?: 'asc' | 'desc'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DowntimePage']
          'text/csv': string
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getMachineUptimeSummary: {
    parameters: {
      query?: {
        start?: string
        end?: string
      }
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['UptimeSummary']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getMachineMttrMtbf: {
    parameters: {
      query?: {
        days?: number
      }
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MachineReliability']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getFleetMttrMtbf: {
    parameters: {
      query?: {
        days?: number
        page?: number
        page_size?: number
        group_id?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'X-Total-Count'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['FleetReliability']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getDowntimePareto: {
    parameters: {
      query?: {
        days?: number
        date_from?: string
        date_to?: string
        machine_id?: string
        group_id?: string
        top?: number
        micro_stop_minutes?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['DowntimePareto']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getFleetStatus: {
    parameters: {
      query?: {
        group_id?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['FleetStatus']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getFleetOverview: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
        group_id?: string
        status?: 'healthy' | 'warning' | 'critical' | 'offline'
        machine_ids?: string
        trends?: boolean
        search?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['FleetOverview']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listSites: {
    parameters: {
      query?: {
        days?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Site'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  compareSites: {
    parameters: {
      query?: {
        days?: number
        sort_by?:
          | 'name'
          | 'machine_count'
          | 'active_alert_count'
          | 'open_work_order_count'
          | 'downtime_hours'
          | 'uptime_percent'
          | 'mttr_hours'
          | 'mtbf_hours'
          | 'oee_pct'
          | 'oee_weighted_pct'
        sort_dir?: 'asc' | 'desc'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Site'][]
          'text/csv': string
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getSiteKpis: {
    parameters: {
      query?: {
        days?: number
      }
      header?: never
      path: {
        site_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['Site']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getFleetFigures: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
        group_id?: string
        machine_id?: string
        from?: string
        to?: string
        interval?: 'none' | 'week' | 'day' | 'shift'
        by?: 'machine' | 'group' | 'reason'
        group_type?: string
        compare?: 'previous'
        sort_by?:
          | 'name'
          | 'period'
          | 'downtime_hours'
          | 'downtime_count'
          | 'uptime_percent'
          | 'repair_event_count'
          | 'failure_event_count'
          | 'mttr_hours'
          | 'mtbf_hours'
          | 'planned_hours'
          | 'run_hours'
          | 'oee_pct'
          | 'availability_pct'
          | 'performance_pct'
          | 'quality_pct'
          | 'part_count'
          | 'good_part_count'
          | 'alert_count'
          | 'critical_alert_count'
        sort_dir?: 'asc' | 'desc'
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['FleetFigures']
          'text/csv': string
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getPlantSettings: {
    parameters: {
      query?: {
        group_id?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['PlantSettings']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updatePlantSettings: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['PlantSettingsPatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['PlantSettings']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  importNonProductionDays: {
    parameters: {
      query?: {
        group_id?: string
      }
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'multipart/form-data': {
          file: string
        }
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['NonProductionDaysImported']
        }
      }
      400: components['responses']['UnreadableForm']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listShiftDefinitions: {
    parameters: {
      query?: {
        active_only?: boolean
        group_id?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ShiftDefinition'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createShiftDefinition: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ShiftDefinitionCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ShiftDefinition']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateShiftDefinition: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        definition_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ShiftDefinitionPut']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ShiftDefinition']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deactivateShiftDefinition: {
    parameters: {
      query?: never
      header?: never
      path: {
        definition_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listShiftLogs: {
    parameters: {
      query?: {
        machine_id?: string
        group_id?: string
        from_date?: string
        to_date?: string
        status?: 'active' | 'completed' | 'cancelled'
        page?: number
        page_size?: number
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ShiftLogPage']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createShiftLog: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ShiftLogCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ShiftLog']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deleteShiftLog: {
    parameters: {
      query?: never
      header?: never
      path: {
        log_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateShiftLog: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        log_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ShiftLogPatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ShiftLog']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getShiftHandover: {
    parameters: {
      query?: never
      header?: never
      path: {
        log_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ShiftHandover']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listActiveShifts: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
        group_id?: string
        first_of_each?: boolean
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'X-Total-Count'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ActiveShiftLog'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  compareShifts: {
    parameters: {
      query?: {
        machine_id?: string
        group_id?: string
        from_date?: string
        to_date?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ShiftComparison']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getMachineOee: {
    parameters: {
      query?: {
        interval?: 'shift' | '1h' | '1d'
        start?: string
        end?: string
      }
      header?: never
      path: {
        machine_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['MachineOee']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listErpConnections: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ErpConnection'][]
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  createErpConnection: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ErpConnectionCreate']
      }
    }
    responses: {
      201: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ErpConnection']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getErpConnection: {
    parameters: {
      query?: never
      header?: never
      path: {
        connection_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ErpConnection']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  deleteErpConnection: {
    parameters: {
      query?: never
      header?: never
      path: {
        connection_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      204: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content?: never
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  updateErpConnection: {
    parameters: {
      query?: never
      header?: {
        'If-Match'?: string
      }
      path: {
        connection_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ErpConnectionPatch']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ErpConnection']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      412: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  testErpConnection: {
    parameters: {
      query?: never
      header?: never
      path: {
        connection_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ErpConnectionTest']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  previewErpConnection: {
    parameters: {
      query?: never
      header?: never
      path: {
        connection_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ErpPreviewCreate']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ErpPreview']
        }
      }
      400: components['responses']['Unreadable']
      401: components['responses']['SignInRequired']
      403: components['responses']['HigherRoleRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  syncErpConnection: {
    parameters: {
      query?: never
      header?: {
        'Idempotency-Key'?: string
      }
      path: {
        connection_id: string
      }
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['ErpSyncCreate']
      }
    }
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Idempotent-Replayed'?: string
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ErpSyncLog'][]
        }
      }
      400: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      409: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      413: components['responses']['TooLarge']
      415: components['responses']['WrongMediaType']
      422: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          'Retry-After': components['headers']['Retry-After']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listErpConnectionLogs: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
        cursor?: string
        entity_type?: 'work_order' | 'production_data' | 'downtime' | 'machine'
        direction?: 'outbound' | 'inbound'
        status?: 'success' | 'failed' | 'skipped'
        entity_id?: string
        run_id?: string
        from?: string
        to?: string
      }
      header?: never
      path: {
        connection_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ErpSyncLogPage']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listErpLogs: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
        cursor?: string
        entity_type?: 'work_order' | 'production_data' | 'downtime' | 'machine'
        direction?: 'outbound' | 'inbound'
        status?: 'success' | 'failed' | 'skipped'
        entity_id?: string
        run_id?: string
        from?: string
        to?: string
        erp_connection_id?: string
      }
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ErpSyncLogPage']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  listErpConnectionRuns: {
    parameters: {
      query?: {
        page?: number
        page_size?: number
        status?: 'running' | 'success' | 'partial' | 'failed'
      }
      header?: never
      path: {
        connection_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ErpRunPage']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      422: components['responses']['Invalid']
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getErpConnectionRun: {
    parameters: {
      query?: never
      header?: never
      path: {
        connection_id: string
        run_id: string
      }
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': components['schemas']['ErpRun']
        }
      }
      401: components['responses']['SignInRequired']
      403: components['responses']['MfaRequired']
      404: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/problem+json': components['schemas']['Problem']
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  getApiDocument: {
    parameters: {
      query?: never
      header?: never
      path?: never
      cookie?: never
    }
    requestBody?: never
    responses: {
      200: {
        headers: {
          'X-Request-Id': components['headers']['X-Request-Id']
          'X-RateLimit-Limit': components['headers']['X-RateLimit-Limit']
          'X-RateLimit-Remaining': components['headers']['X-RateLimit-Remaining']
          'X-RateLimit-Reset': components['headers']['X-RateLimit-Reset']
          [name: string]: unknown
        }
        content: {
          'application/json': {
            openapi: string
          } & {
            [key: string]: unknown
          }
        }
      }
      429: components['responses']['RateLimited']
      500: components['responses']['Failed']
      503: components['responses']['Unavailable']
    }
  }
  receiveAlert: {
    parameters: {
      query?: never
      header: {
        'webhook-id': string
        'webhook-timestamp': string
        'webhook-signature'?: string
      }
      path?: never
      cookie?: never
    }
    requestBody: {
      content: {
        'application/json': components['schemas']['WebhookAlert'] | components['schemas']['WebhookTest']
      }
    }
    responses: {
      '2XX': {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
      '4XX': {
        headers: {
          [name: string]: unknown
        }
        content?: never
      }
    }
  }
}
