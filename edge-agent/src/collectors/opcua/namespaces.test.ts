import { describe, expect, it } from 'vitest'
import { Namespaces, NoNode, withIndex, withUri } from './namespaces.ts'

const STANDARD = 'http://opcfoundation.org/UA/'
const OVEN = 'urn:acme:oven'
const PRESS = 'urn:acme:press'

/** What a node id is in a session with `found`, where `before` is remembered. */
async function inSession(nodeId: string, before: string[], found: string[]): Promise<string> {
  const namespaces = new Namespaces({ remembered: () => before, found: async () => {} })
  const now = (await namespaces.begin([nodeId], found, true))(nodeId)
  return now instanceof NoNode ? now.reason : now
}

describe('a namespace that is not the only one of its URI', () => {
  const TWICE = `the server has the namespace ${OVEN} more than once, so ns=1 may mean another one`

  it.each([
    ['before', [STANDARD, OVEN, OVEN], [STANDARD, PRESS, OVEN], TWICE],
    ['now', [STANDARD, OVEN, PRESS], [STANDARD, PRESS, OVEN, OVEN], TWICE],
    ['never', [STANDARD, OVEN, PRESS], [STANDARD, PRESS, OVEN], 'ns=2;s=Temp'],
  ])('refuses an index when it was there twice %s', async (_, before, found, now) => {
    expect(await inSession('ns=1;s=Temp', before, found)).toBe(now)
  })

  it('refuses an index without a URI once the namespaces are other ones', async () => {
    expect(await inSession('ns=1;s=Temp', [STANDARD, '', PRESS], [STANDARD, PRESS, ''])).toMatch(
      /^ns=1 has no URI at this server/,
    )
    expect(await inSession('ns=1;s=Temp', [STANDARD, '', PRESS], [STANDARD, '', PRESS])).toBe('ns=1;s=Temp')
  })

  it('is not named by its URI, and refuses a node id that is', () => {
    expect(withUri('ns=1;s=Temp', [STANDARD, OVEN, OVEN])).toBe('ns=1;s=Temp')
    expect(withIndex(`nsu=${OVEN};s=Temp`, [STANDARD, OVEN, OVEN])).toMatchObject({
      reason: `the server has the namespace ${OVEN} more than once, so its URI may mean another one`,
    })
  })
})

describe('namespaces that the server has renumbered', () => {
  const noteAfter = async (nodeIds: string[], before: string[], found: string[]) => {
    const namespaces = new Namespaces({ remembered: () => before, found: async () => {} })
    await namespaces.begin(nodeIds, found, true)
    return namespaces.note?.detail ?? ''
  }

  it('are noted for people while an index of the settings is another one', async () => {
    const ids = ['ns=1;s=Temp', 'ns=1;s=Speed', 'ns=2;s=Temp', `nsu=${OVEN};s=Temp`, 'i=2258']
    expect(await noteAfter(ids, [STANDARD, OVEN, PRESS], [STANDARD, PRESS, OVEN])).toBe(
      'the server has renumbered its namespaces: ns=1 is ns=2 now, ns=2 is ns=1 now',
    )
    expect(await noteAfter(ids, [STANDARD, OVEN, PRESS], [STANDARD, OVEN, PRESS, 'urn:new'])).toBe('')
    expect(await noteAfter(['ns=2;s=Temp'], [STANDARD, OVEN, PRESS], [STANDARD, 'urn:new', PRESS])).toBe('')
  })
})
