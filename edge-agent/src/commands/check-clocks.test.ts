import { OpcUaConfig } from '@haltless/protocol'
import { describe, expect, it } from 'vitest'
import type { OpcUaSource } from '../collectors/collector.ts'
import { type ComparedClock, compareClocks } from './check-clocks.ts'

const hub = (aheadMs: number): ComparedClock => ({ name: 'the clock of the hub', kind: 'hub', aheadMs })
const plc = (name: string, aheadMs: number, config: object = {}, protocol = 'opcua'): ComparedClock => {
  const settings = OpcUaConfig.parse(config)
  const source = { protocol, name, machine: 'm', pollIntervalSeconds: 1, host: 'h', port: 1, config: settings } as OpcUaSource
  return { name: `the clock of ${name}`, kind: 'device', aheadMs, source }
}
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const found = (...clocks: ComparedClock[]) => compareClocks(clocks).map(({ result, words }) => `${result} ${words}`)

describe('the comparison of clocks', () => {
  it('blames this box when the hub and the device agree', () => {
    expect(found(hub(3 * MINUTE), plc('press', 3 * MINUTE))).toEqual([
      'note the clock of this box is 3 min behind the clock of the hub, and so are readings that it stamps; set its clock, and let NTP keep it',
    ])
  })

  it('blames the device when the hub and this box agree', () => {
    expect(found(hub(200), plc('press', -2 * 86_400_000))).toEqual([
      'note the clock of press is 2 days behind the clock of the hub, so its readings get the time at which they are read; set its clock',
    ])
  })

  it('trusts hub and box when they agree, however many devices run on local time', () => {
    expect(found(hub(900), plc('press', -5 * HOUR), plc('pump', -5 * HOUR), plc('oven', -5 * HOUR))).toEqual(
      ['press', 'pump', 'oven'].map(
        (name) =>
          `note the clock of ${name} is 5 h behind the clock of the hub, so its readings get the time at which they are read; it seems to give local time as UTC: set its time zone`,
      ),
    )
  })

  it('blames the hub when several devices and this box agree', () => {
    expect(found(hub(-20 * MINUTE), plc('press', 0), plc('pump', 900))).toEqual([
      'note the clock of the hub is 20 min behind the clock of this box; report it to the operator of the hub',
    ])
  })

  it('trusts the hub when no two clocks agree', () => {
    expect(found(hub(-20 * MINUTE), plc('press', 3_600_000))).toHaveLength(2)
    expect(found(hub(-20 * MINUTE), plc('press', 3_600_000)).join()).toMatch(/this box is 20 min ahead of the clock of the hub/)
  })

  it('fails for a clock so far ahead that the hub rejects its readings, and not for one on the limit', () => {
    expect(found(hub(-5 * MINUTE))).toEqual([expect.stringMatching(/^note .*and so are readings/)])
    expect(found(hub(-5 * MINUTE - 1))).toEqual([
      'FAIL the clock of this box is 5 min ahead of the clock of the hub, so the hub rejects readings that it stamps: they lie in the future; set its clock, and let NTP keep it',
    ])
  })

  it.each([
    [-20_000, {}, 'opcua', '20 s behind the clock of the hub, and so are its readings; set its clock'],
    [
      20_000,
      {},
      'opcua',
      '20 s ahead of the clock of the hub, so its readings get the time at which they are read; set its clock',
    ],
    [20_000, {}, 'file', '20 s ahead of the clock of the hub, and so are its readings; set its clock'],
    [
      6 * MINUTE,
      {},
      'file',
      '6 min ahead of the clock of the hub, so its readings get the time at which they are read; set its clock',
    ],
    [
      -40_000,
      { max_clock_offset_seconds: 60 },
      'opcua',
      '40 s behind the clock of the hub, and so are its readings; set its clock',
    ],
    [
      -3 * HOUR,
      { timestamps: 'source' },
      'opcua',
      '3 h behind the clock of the hub, and so are its readings, because timestamps is source; it seems to give local time as UTC: set its time zone',
    ],
    [
      7 * MINUTE,
      { timestamps: 'server' },
      'opcua',
      '7 min ahead of the clock of the hub, which the hub would reject, so its readings get the time at which they are read; set its clock',
    ],
    [
      -7 * MINUTE,
      { timestamps: 'agent' },
      'opcua',
      '7 min behind the clock of the hub; its readings get the time at which they are read, because timestamps is agent; set its clock',
    ],
  ])('says what becomes of readings with a device %i ms ahead and %j (%s)', (aheadMs, config, protocol, words) => {
    expect(found(hub(0), plc('press', aheadMs, config, protocol))).toEqual([`note the clock of press is ${words}`])
  })

  it('names both clocks when it cannot know which one is wrong', () => {
    expect(found(plc('press', MINUTE))).toEqual([
      'note the clock of press and that of this box differ by 60 s; set the one that is wrong',
    ])
  })

  it('accepts differences below ten seconds', () => {
    expect(found(hub(9_999))).toEqual(['ok the clock of this box and the clock of the hub agree'])
    expect(found(hub(10_000))).toEqual([expect.stringMatching(/^note/)])
    expect(found()).toEqual([])
  })
})
