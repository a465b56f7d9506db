import { faultText } from '@haltless/protocol/fault-text'
import { FAULT_TEXTS, fault } from '@haltless/protocol/faults'
import { expect, it } from 'vitest'
import { faults as german } from './de/faults.ts'

const namesIn = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)

it('the German texts name no parameter that the code lacks', () => {
  for (const [code, text] of Object.entries(FAULT_TEXTS)) {
    const extra = namesIn(german[code as keyof typeof german]).filter((name) => !namesIn(text).includes(name))
    expect([code, extra]).toEqual([code, []])
  }
  expect(Object.keys(german).toSorted()).toEqual(Object.keys(FAULT_TEXTS).toSorted())
})

it('the German texts keep the reason within a fault', () => {
  const lost = Object.entries(FAULT_TEXTS).filter(
    ([code, text]) => text.includes('{reason}') && !german[code as keyof typeof german].includes('{reason}'),
  )
  expect(lost).toEqual([])
})

it('a fault within a fault is German too', () => {
  const reason = fault('unreadable_tags', { count: 2, all: 30 })
  const tag_reason = fault('modbus_illegal_data_address', { exception: '02' })
  const found = fault('agent_reports', {
    agent: 'hall-3',
    reason: fault('with_bad_tag', { reason, tag: 'holding:9', tag_reason }),
  })
  expect(faultText(found, german)).toBe(
    'Der Agent hall-3 meldet: 2 von 30 Tags lassen sich nicht lesen: holding:9, das Gerät hat dieses Register nicht (Ausnahme 02)',
  )
})

it('a code of a newer agent is shown as the agent says it', () => {
  const newer = { ...fault('opcua_shutdown'), code: 'opcua_of_next_year', detail: 'the server is new' }
  expect(faultText(fault('and_more', { reason: newer, count: 2 }), german)).toBe('the server is new (und 2 weitere)')
})

it('what an ERP refuses is German by its code, with the words of the ERP and the status within it', () => {
  const reason = fault('erp_record_refused', { status: 400, reason: 'Title is too long.' })
  const found = fault('erp_last_attempt_failed', { reason })
  expect(found.detail).toBe('The last attempt failed: The ERP refuses the record (status 400). Title is too long.')
  expect(faultText(found, german)).toBe(
    'Der letzte Versuch ist fehlgeschlagen: Das ERP nimmt den Datensatz nicht an (Status 400). Title is too long.',
  )
})

it('a code of a newer hub is shown as its English sentence', () => {
  const newer = { ...fault('erp_throttled'), code: 'erp_of_next_year', detail: 'The ERP sleeps.' }
  expect(faultText(newer, german)).toBe('The ERP sleeps.')
  expect(faultText(fault('erp_record_not_sent', { reason: newer }), german)).toBe(
    'Der Datensatz wurde nicht gesendet. The ERP sleeps.',
  )
})
