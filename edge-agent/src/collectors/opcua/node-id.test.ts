import { NodeId, NodeIdType } from 'node-opcua'
import { expect, it } from 'vitest'
import { nodeIdOf } from './node-id.ts'

it.each([
  ['ns=2;s=[Srv]ns=5;i=7', 2, '[Srv]ns=5;i=7'],
  ['s=ns=5;i=7', 0, 'ns=5;i=7'],
  ['ns=2;s=two\nlines', 2, 'two\nlines'],
  ['ns=2;s=72962B91-FA75-4AE6-8D28-B404DC7DAF63', 2, '72962B91-FA75-4AE6-8D28-B404DC7DAF63'],
  ['ns=00002;i=1001', 2, 1001],
  ['i=2258', 0, 2258],
  ['ns=65535;i=4294967295', 65_535, 4_294_967_295],
  ['ns=3;g=72962b91-fa75-4ae6-8d28-b404dc7daf63', 3, '72962B91-FA75-4AE6-8D28-B404DC7DAF63'],
  ['ns=3;b=UHJlc3M=', 3, Buffer.from('Press')],
])('the whole text of %s is the node id', (text, namespace, value) => {
  expect(nodeIdOf({ NodeId, NodeIdType }, text)).toMatchObject({ namespace, value })
})

it.each([
  'svr=0;ns=2;s=x',
  'foo ns=3;s=y',
  'ns=000002;s=x',
  'ns=65536;s=x',
  'ns=2;ns=5;i=7',
  'nsu=urn:acme:press;s=x',
  'ns=2;i=7x',
  'ns=2;i=4294967296',
  'ns=2;g=72962B91',
  'ns=2;b=<null>',
  'ns=2;s=',
  'ns=2;x',
  '72962B91-FA75-4AE6-8D28-B404DC7DAF63',
  '',
])('"%s" is no node id', (text) => {
  expect(nodeIdOf({ NodeId, NodeIdType }, text)).toBeNull()
})
