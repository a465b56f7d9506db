import { expect, it } from 'vitest'
import { apiValues } from './api-values.ts'

it('enums and limits of an API document become constants that are named by schema and field', () => {
  const name = { type: 'string', minLength: 1, maxLength: 200 }
  const password = { type: 'string', minLength: 8 }
  const schedule = { type: ['string', 'null'], enum: ['daily', 'weekly', null] }
  const steps = { type: 'array', maxItems: 100, items: { properties: { port: { maximum: 65_535, minimum: 0 } } } }
  const note = { anyOf: [{ type: 'string', enum: [''] }, { type: 'string', maxLength: 50 }, { type: 'null' }] }
  const parameters = [
    { name: 'sort_by', in: 'query', schema: { enum: ['name', 'status'] } },
    { name: 'kind', in: 'path', schema: { enum: ['a', 'b'] } },
  ]
  const made = apiValues({
    paths: { '/plans': { get: { operationId: 'listPlans', parameters } } },
    components: {
      schemas: { PlanCreate: { properties: { name, password, schedule, steps, note } }, ErrorCode: { enum: ['a', 'b'] } },
    },
  })
  expect(made.filters).toBe("export const LIST_PLANS_SORT_BY = ['name', 'status'] as const\n")
  expect(made.enums).toBe("export const PLAN_CREATE_SCHEDULE = ['daily', 'weekly'] as const\n")
  expect(made.limits.trimEnd().split('\n')).toEqual([
    'export const PLAN_CREATE_NAME_MAX_LENGTH = 200',
    'export const PLAN_CREATE_PASSWORD_MIN_LENGTH = 8',
    'export const PLAN_CREATE_STEPS_MAX_ITEMS = 100',
    'export const PLAN_CREATE_STEPS_ITEM_PORT_MAX = 65535',
    'export const PLAN_CREATE_STEPS_ITEM_PORT_MIN = 0',
    'export const PLAN_CREATE_NOTE_MAX_LENGTH = 50',
  ])
})

it('each scope of a token has the least role for which it opens an operation', () => {
  const operation = (access: string, scope: string | null) => ({ 'x-access': access, 'x-token-scope': scope })
  const made = apiValues({
    paths: {
      '/a': {
        get: operation('admin', 'audit:read'),
        post: operation('admin', 'work:write'),
        put: operation('any', 'work:write'),
      },
      '/b': { get: operation('admin', 'agents:read'), post: operation('operator', 'agents:read'), put: operation('any', null) },
      '/c': { get: operation('any', 'any'), post: {} },
    },
    components: { schemas: {} },
  })
  expect(made['token-scope-roles'].split('\n').slice(1)).toEqual([
    'export const TOKEN_SCOPE_ROLES = {',
    "  'audit:read': 'admin',",
    "  'work:write': 'viewer',",
    "  'agents:read': 'operator',",
    '} as const',
    '',
  ])
})
