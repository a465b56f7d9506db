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
