import { describe, expect, it } from 'vitest'
import { checkFieldMapping, namesOf } from './field-mapping.ts'
import { providerOf } from './providers/index.ts'

const provider = providerOf('erp_c')
const pathsOf = (mapping: Record<string, string>) => checkFieldMapping(provider, mapping).map(({ path }) => path)
const names = (entity: 'work_order' | 'downtime' | 'machine', mapping: Record<string, string>) =>
  namesOf(entity, provider.defaults[entity], mapping)

describe('a field mapping', () => {
  it('renames a field in every entity that has it, or in one', () => {
    const mapping = { machine_name: 'asset', 'downtime.machine_name': 'unit' }
    expect(checkFieldMapping(provider, mapping)).toEqual([])
    expect(names('work_order', mapping).fields.get('machine_name')).toBe('asset')
    expect(names('downtime', mapping).fields.get('machine_name')).toBe('unit')
    expect(names('work_order', {}).fields.get('machine_name')).toBe('machineName')
  })

  it('renames a list and the fields of its lines, which have no short names', () => {
    const mapping = { 'work_order.instructions': 'steps', 'work_order.instructions.text': 'stepText', completed_at: 'doneAt' }
    expect(checkFieldMapping(provider, mapping)).toEqual([])
    const { fields, lines } = names('work_order', mapping)
    expect(fields.get('completed_at')).toBe('doneAt')
    const list = lines.get('instructions')
    expect([list?.field, list?.fields.get('text'), list?.fields.get('completed_at')]).toEqual([
      'steps',
      'stepText',
      'completedAt',
    ])
    expect(pathsOf({ text: 'x', 'instructions.text': 'x' })).toEqual(['text', 'instructions.text'])
  })

  it('leaves fields, lines and lists out by an empty name', () => {
    const mapping = { description: '', 'work_order.instructions.position': '' }
    expect(checkFieldMapping(provider, mapping)).toEqual([])
    const { fields, lines } = names('work_order', mapping)
    expect([fields.has('description'), fields.has('title'), lines.get('instructions')?.fields.has('position')]).toEqual([
      false,
      true,
      false,
    ])
    expect(names('work_order', { 'work_order.instructions': '' }).lines.size).toBe(0)
    expect(pathsOf({ machine_identifier: '' })).toEqual(['machine_identifier'])
    expect(pathsOf({ 'downtime.machine_identifier': '' })).toEqual([])
  })

  it('names the known fields of the entity for an unknown one', () => {
    const [fault] = checkFieldMapping(provider, { 'machine.title': 'x' })
    const values = 'machine.machine_identifier, machine.name, machine.location'
    expect(fault).toEqual({
      path: 'machine.title',
      message: `is no field of Haltless. Known are ${values}`,
      code: 'unknown_field',
      params: { values },
    })
    expect(pathsOf({ __proto__x: 'a', constructor: 'b', 'work_order.': 'c', '.title': 'd', '': 'e' })).toHaveLength(5)
  })

  it('has one field of Haltless for each field of the ERP, defaults included', () => {
    expect(pathsOf({ 'work_order.title': 'status' })).toEqual(['work_order.title'])
    expect(pathsOf({ 'work_order.title': 'status', 'work_order.status': 'title' })).toEqual([])
    expect(pathsOf({ 'work_order.title': 'status', 'work_order.status': '' })).toEqual([])
    expect(pathsOf({ 'work_order.instructions': 'title' })).toEqual(['work_order.instructions'])
    expect(pathsOf({ 'work_order.instructions.text': 'position' })).toEqual(['work_order.instructions.text'])
  })

  it('has names of 1 to 128 characters', () => {
    expect(pathsOf({ title: 'x'.repeat(128) })).toEqual([])
    expect(pathsOf({ title: 'x'.repeat(129) })).toEqual(['title'])
    for (const odd of ['1a', 'a b', 'a-b', 'a.b', 'a/b', 'ü', '$a', 'a\n'])
      expect([odd, pathsOf({ title: odd })]).toEqual([odd, ['title']])
  })
})
