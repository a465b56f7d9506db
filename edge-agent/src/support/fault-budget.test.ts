import { fault } from '@haltless/protocol'
import { expect, it } from 'vitest'
import { faultBudget } from './fault-budget.ts'

it('the faults of two lists with 200 entries each leave room in a heartbeat of 1 MiB', () => {
  const names = Array.from({ length: 30 }, (_, i) => `urn:vendor:namespace:${i}`).join(', ')
  const gone = fault('opcua_namespace_gone', { index: 2, uri: 'urn:vendor:gone', names })
  const fits = faultBudget()
  const kept = Array.from({ length: 200 }, () => gone).filter(fits)
  expect(kept.length).toBeGreaterThan(50)
  expect(JSON.stringify(kept).length).toBeLessThan(201_000)
})
