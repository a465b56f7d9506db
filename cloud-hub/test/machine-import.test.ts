import { readFileSync } from 'node:fs'
import path from 'node:path'
import { deflateRawSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import writeWorkbook from 'write-excel-file/node'
import { type TestUser, useHub } from './harness.ts'

const hub = useHub()
const file = (name: string) => readFileSync(path.join(import.meta.dirname, 'files', name))

async function upload(by: TestUser, content: string | Uint8Array, name = 'machines.csv', part = 'file', query = '') {
  const form = new FormData()
  form.append(part, new Blob([content as string]), name)
  const body = new Response(form)
  const answer = await hub.app.request(
    `/api/v1/machines/import${query}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${by.token}`, 'content-type': body.headers.get('content-type') as string },
      body: await body.arrayBuffer(),
    },
    { incoming: { socket: { remoteAddress: '10.1.1.1' } } },
  )
  // biome-ignore lint/suspicious/noExplicitAny: bodies of every shape
  return { status: answer.status, body: (await answer.json()) as any }
}
const HEADER = 'name,machine_identifier,protocol,location'
const machinesOf = async (user: TestUser) =>
  (await user.call('GET', 'machines?page_size=100')).body.items as {
    name: string
    machine_identifier: string
    location: string
  }[]

describe('an import', () => {
  it('creates a machine for each row, in order', async () => {
    const user = await hub.admin()
    const { status, body } = await upload(user, `${HEADER}\nPress,press-1,opc_ua,Hall 3\nOven,oven-1,modbus_tcp,\n`)
    expect([status, body]).toEqual([
      200,
      {
        total_rows: 2,
        success_count: 2,
        failed_count: 0,
        errors: [],
        created_machine_ids: [expect.any(String), expect.any(String)],
      },
    ])
    const first = (await user.call('GET', `machines/${body.created_machine_ids[0]}`)).body
    expect(first).toMatchObject({ name: 'Press', machine_identifier: 'press-1', location: 'Hall 3', status: 'offline' })
    expect((await user.call('GET', `machines/${body.created_machine_ids[1]}`)).body.location).toBe(null)
  })

  it('takes protocols as people write them', async () => {
    const user = await hub.admin()
    const { body } = await upload(user, `${HEADER}\nA,a-1, OPC_UA ,\nB,b-1,opc ua,\nC,c-1,Modbus-TCP,\nD,d-1,JSON,\n`)
    expect(body).toMatchObject({ success_count: 4, failed_count: 0 })
    const { items } = (await user.call('GET', 'machines?page_size=100')).body
    const protocols = Object.fromEntries(
      items.map((it: { machine_identifier: string; protocol: string }) => [it.machine_identifier, it.protocol]),
    )
    expect(protocols).toEqual({ 'a-1': 'opc_ua', 'b-1': 'opc_ua', 'c-1': 'modbus_tcp', 'd-1': 'json' })
  })

  it('that is a dry run reports the same, shows the first rows, and creates nothing', async () => {
    const user = await hub.admin()
    await hub.machine(user, { machine_identifier: 'taken' })
    const content = `${HEADER}\nPress,press-1,opc_ua,Hall 3\nOven,taken,modbus_tcp,\nMill,mill-1,none,\n`
    const dry = await upload(user, content, undefined, undefined, '?dry_run=true')
    expect(dry.body).toMatchObject({ total_rows: 3, success_count: 1, failed_count: 2, created_machine_ids: [] })
    expect(dry.body.preview).toHaveLength(3)
    expect(dry.body.preview[0]).toEqual({
      row: 2,
      cells: { name: 'Press', machine_identifier: 'press-1', protocol: 'opc_ua', location: 'Hall 3' },
    })
    expect(await machinesOf(user)).toHaveLength(1)
    const real = await upload(user, content)
    expect(real.body.errors).toEqual(dry.body.errors)
    expect([real.body.success_count, real.body.preview]).toEqual([1, undefined])
    expect((await upload(user, content, undefined, undefined, '?dry_run=maybe')).status).toBe(422)
  })

  it('reports each bad row by its line and goes on with the others', async () => {
    const user = await hub.admin()
    await hub.machine(user, { machine_identifier: 'taken' })
    const rows = [
      HEADER,
      ',no-name,opc_ua,',
      'A,,opc_ua,',
      'B,b,carrier_pigeon,',
      'C,c,opc_ua,',
      '',
      'C again,c,opc_ua,',
      'D,taken,opc_ua,',
      `E,${'x'.repeat(256)},opc_ua,`,
      'F,f,opc_ua,here,and there',
      'G,g',
      `H,h,json,${'y'.repeat(500)}`,
    ]
    const { body } = await upload(user, rows.join('\r\n'))
    expect(body).toMatchObject({ total_rows: 10, success_count: 2, failed_count: 8 })
    expect(body.errors.map((e: { row: number; reason: string }) => [e.row, e.reason])).toEqual([
      [2, 'name: must not be empty'],
      [3, 'machine_identifier: must not be empty'],
      [4, 'protocol: must be one of opc_ua, modbus_tcp, csv, json'],
      [7, 'duplicate machine_identifier: line 5 has it already'],
      [8, 'duplicate machine_identifier: a machine has it already'],
      [9, 'machine_identifier: must have at most 255 characters'],
      [10, 'has more cells than the header has columns'],
      [11, 'protocol: must not be empty'],
    ])
    expect((await machinesOf(user)).map((m) => m.machine_identifier).sort()).toEqual(['c', 'h', 'taken'])
  })

  it('of the same file twice creates nothing the second time, also when both come at once', async () => {
    const user = await hub.admin()
    const csv = `${HEADER}\nA,a,json,\nB,b,json,\n`
    const both = await Promise.all([upload(user, csv), upload(user, csv)])
    expect(both.map((a) => a.body.success_count).reduce((sum, n) => sum + n)).toBe(2)
    const third = await upload(user, csv)
    expect(third.body).toMatchObject({ success_count: 0, failed_count: 2, created_machine_ids: [] })
    expect(third.body.errors[0].reason).toMatch(/duplicate machine_identifier/)
  })

  it('is noted in the audit trail, and kept from viewers', async () => {
    const admin = await hub.admin()
    await upload(admin, `${HEADER}\nA,a,json,\n`)
    expect((await admin.call('GET', 'audit-log?action=machine.created')).body.items[0].target.name).toBe('A')
    expect((await upload(await hub.colleague(admin, 'viewer'), HEADER)).status).toBe(403)
  })

  it('takes 500 rows and not 501', async () => {
    const user = await hub.admin()
    const rows = (n: number) => [HEADER, ...Array.from({ length: n }, (_, i) => `M${i},m${i},json,`)].join('\n')
    expect(await upload(user, rows(501))).toMatchObject({ status: 422, body: { code: 'file_unreadable' } })
    expect(await machinesOf(user)).toEqual([])
    expect((await upload(user, rows(500))).body.success_count).toBe(500)
  })

  it('starts from a template that works', async () => {
    const user = await hub.admin()
    const template = await user.call('GET', 'machines/import/template')
    expect(template.headers.get('content-disposition')).toContain('machines.csv')
    expect((await upload(user, template.body)).body).toMatchObject({ total_rows: 2, success_count: 2 })
  })
})

describe('text files', () => {
  const cells = ['Ölpresse "groß", neu', '00123', 'json', 'a\nb']
  const csv = (separator: string) => {
    const line = (values: string[]) => values.map((v) => `"${v.replaceAll('"', '""')}"`).join(separator)
    return `${HEADER.replaceAll(',', separator)}\r\n${line(cells)}\r\nX${separator}x${separator}nonsense\r\n`
  }
  const utf16 = (text: string, mark: boolean) => Buffer.from(`${mark ? '\ufeff' : ''}${text}`, 'utf16le')
  it.each([
    ['comma', csv(',')],
    ['semicolon', csv(';')],
    ['tab', csv('\t')],
    ['a line that names the separator', `sep=;\r\n${csv(';')}`],
    ['a byte order mark', `\ufeff${csv(',')}`],
    ['UTF-16 with its mark', utf16(csv(';'), true)],
    ['UTF-16 without its mark', utf16(csv(','), false)],
    ['UTF-16 of the other byte order', utf16(csv(','), true).swap16()],
    ['Windows-1252', Buffer.from(csv(';'), 'latin1')],
    ['old line ends', csv(',').replaceAll('\r\n', '\n')],
  ])('with %s are read, and lines are counted as an editor does', async (name, content) => {
    const user = await hub.admin()
    const { body } = await upload(user, content)
    expect((await machinesOf(user))[0]).toMatchObject({ name: cells[0], machine_identifier: '00123', location: 'a\nb' })
    // the quoted cell before it covers two lines
    expect(body.errors[0].row).toBe(name.startsWith('a line') ? 5 : 4)
  })
  it.each([
    ['nothing', '', /empty/],
    ['a missing column', 'name,protocol\nA,json', /machine_identifier/],
    ['a column twice', 'name,name,machine_identifier,protocol\n', /twice/],
    ['an open quote', `${HEADER}\n"A,a,json,\nB,b,json,\n`, /never closed/],
    ['an open quote and a megabyte behind it', `${HEADER}\n"A,a,json,\n${'B,b,json,\n'.repeat(100_000)}`, /quote/],
    ['more empty rows than anybody looks through', `${HEADER}\n${',,,\n'.repeat(5_100)}A,a,json,\n`, /empty ones/],
    ['an old Excel file', Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, 0, 0]), /\.xls .*save it as/],
    ['a PDF', Buffer.from(`%PDF-1.7\n${'\x01\x02"x\x03\n'.repeat(200)}`, 'latin1'), /neither CSV nor XLSX/],
    ['nothing but separators', ','.repeat(5 * 1024 * 1024), /too long/],
    ['a thousand times too many rows', `${HEADER}\n${'A,a,json,\n'.repeat(500_000)}`, /more than 500 rows/],
    ['bytes of no meaning', Buffer.from(Array.from({ length: 5_000 }, (_, i) => (i * 7919) % 251)), /./],
  ])('with %s are refused in plain words', async (_, content, words) => {
    const user = await hub.admin()
    const answer = await upload(user, content)
    expect(answer).toMatchObject({ status: 422, body: { code: 'file_unreadable', errors: [{ path: 'body.file' }] } })
    expect(answer.body.errors[0].message).toMatch(words)
  })
  it('with empty lines are read, and each empty line counts as a line', async () => {
    const user = await hub.admin()
    const { body } = await upload(user, `${HEADER}\n\nA,a,json,\n\n\nB,b,nonsense,\n"C\nc",c,nonsense,\n`)
    expect([body.success_count, body.errors.map((e: { row: number }) => e.row)]).toEqual([1, [6, 7]])
  })
  it('with a quote in the middle of a cell hurt no row', async () => {
    const user = await hub.admin()
    const { status, body } = await upload(user, `${HEADER}\n5" pump,p,json,\n"A" and B,ab,json,\nC,c,json,\n`)
    expect([status, body.success_count, body.errors]).toEqual([200, 3, []])
    expect((await machinesOf(user)).map((m) => m.name)).toEqual(['"A" and B', '5" pump', 'C'])
  })
})

describe('workbooks', () => {
  type Cell = { value: string | number; type?: unknown } | null
  const workbook = async (rows: Cell[][]): Promise<Buffer> =>
    await (writeWorkbook as never as (r: Cell[][]) => { toBuffer(): Promise<Buffer> })(rows).toBuffer()
  const header: Cell[] = ['name', 'machine_identifier', 'protocol'].map((value) => ({ value }))

  it('that LibreOffice wrote are read, and 00123 stays what it is', async () => {
    const user = await hub.admin()
    for (const [name, separate] of [
      ['libreoffice.xlsx', await hub.admin()],
      ['libreoffice-utf16.csv', user],
    ] as const) {
      const { status, body } = await upload(separate, file(name), name)
      expect([name, status, body.total_rows, body.success_count]).toEqual([name, 200, 5, 3])
      expect(body.errors.map((e: { row: number }) => e.row)).toEqual([6, 7])
      expect((await machinesOf(separate)).map((m) => [m.name, m.machine_identifier, m.location])).toEqual([
        ['Ölpumpe „alt“', 'pump-7', 'Keller'],
        ['Oven', '4711', null],
        ['Press, large', '00123', 'Halle 3 – Süd'],
      ])
    }
  })
  it('in which Gnumeric formatted a whole row are read', async () => {
    const user = await hub.admin()
    const { status, body } = await upload(user, file('gnumeric-whole-row.xlsx'), 'm.xlsx')
    expect([status, body.success_count, body.errors]).toEqual([200, 2, []])
    expect((await machinesOf(user)).map((m) => m.machine_identifier)).toEqual(['oven-1', 'press-1'])
  })
  it('count lines as the sheet does, and show numbers as they are', async () => {
    const user = await hub.admin()
    const row = (name: string, id: string | number): Cell[] => [{ value: name }, { value: id }, { value: 'json' }]
    const bytes = await workbook([header, row('A', 123), [], row('B', 12345678901234), row('', 'no-name')])
    const { body } = await upload(user, bytes, 'm.xlsx')
    const fault = { path: 'name', message: 'must not be empty', code: 'empty', params: {} }
    expect(body.errors).toEqual([{ row: 5, reason: 'name: must not be empty', faults: [fault] }])
    expect((await machinesOf(user)).map((m) => m.machine_identifier)).toEqual(['123', '12345678901234'])
  })

  /** A zip of these parts, made by hand. */
  function zip(parts: Record<string, Buffer>): Buffer {
    const [bodies, directory]: [Buffer[], Buffer[]] = [[], []]
    let offset = 0
    for (const [name, content] of Object.entries(parts)) {
      const packed = deflateRawSync(content)
      const local = Buffer.alloc(30)
      local.writeUInt32LE(0x04034b50, 0)
      local.writeUInt16LE(8, 8)
      local.writeUInt32LE(packed.length, 18)
      local.writeUInt32LE(content.length, 22)
      local.writeUInt16LE(name.length, 26)
      const central = Buffer.alloc(46)
      central.writeUInt32LE(0x02014b50, 0)
      central.writeUInt16LE(8, 10)
      central.writeUInt32LE(packed.length, 20)
      central.writeUInt32LE(content.length, 24)
      central.writeUInt16LE(name.length, 28)
      central.writeUInt32LE(offset, 42)
      bodies.push(local, Buffer.from(name), packed)
      directory.push(central, Buffer.from(name))
      offset += 30 + name.length + packed.length
    }
    const index = Buffer.concat(directory)
    const end = Buffer.alloc(22)
    end.writeUInt32LE(0x06054b50, 0)
    end.writeUInt16LE(Object.keys(parts).length, 8)
    end.writeUInt16LE(Object.keys(parts).length, 10)
    end.writeUInt32LE(index.length, 12)
    end.writeUInt32LE(offset, 16)
    return Buffer.concat([...bodies, index, end])
  }
  const sheet = (cells: string) => Buffer.from(`<worksheet><sheetData>${cells}</sheetData></worksheet>`)
  it.each([
    ['a zip bomb', () => zip({ 'xl/worksheets/sheet1.xml': Buffer.alloc(200 * 1024 * 1024) }), /too large/],
    [
      'many small bombs',
      () => zip(Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`a${i}.bin`, Buffer.alloc(1024 * 1024)]))),
      /too large/,
    ],
    [
      'too many parts',
      () => zip(Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`a${i}`, Buffer.alloc(1)]))),
      /too many/,
    ],
    [
      'a far cell',
      () => zip({ 'xl/worksheets/sheet1.xml': sheet('<row r="1048576"><c r="XFD1048576" t="s"><v>0</v></c></row>') }),
      /XFD1048576/,
    ],
    ['entities', () => zip({ 'xl/workbook.xml': Buffer.from('<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>') }), /entities/],
    ['a zip of something else', () => zip({ 'readme.txt': Buffer.from('hello') }), /not a valid XLSX/],
    ['a cut file', () => file('libreoffice.xlsx').subarray(0, 3_000), /not a valid XLSX/],
  ])('that are %s are refused with less than 150 MB, while other requests are answered', async (_, make, words) => {
    const user = await hub.admin()
    const bytes = make()
    const before = process.memoryUsage().rss
    let [answered, isRefused] = [0, false]
    const others = (async () => {
      while (!isRefused) {
        await hub.call('GET', 'units/supported')
        answered++
        await new Promise((next) => setImmediate(next))
      }
    })()
    const answer = await upload(user, bytes, 'm.xlsx')
    isRefused = true
    await others
    expect(answer).toMatchObject({ status: 422, body: { code: 'file_unreadable' } })
    expect(answer.body.errors[0].message).toMatch(words)
    expect(process.memoryUsage().rss - before).toBeLessThan(150 * 1024 * 1024)
    // a thread reads the file: the event loop of the hub stays free
    expect(answered).toBeGreaterThan(10)
  })
})

describe('the form', () => {
  it('must be multipart, hold the part, and stay below 5 MB', async () => {
    const user = await hub.admin()
    expect((await user.call('POST', 'machines/import', { file: 'x' })).status).toBe(415)
    expect((await user.call('POST', 'machines/import', 'x', { 'content-type': 'multipart/form-data; boundary=b' })).status).toBe(
      400,
    )
    expect(await upload(user, HEADER, 'm.csv', 'data')).toMatchObject({ status: 422, body: { errors: [{ path: 'body.file' }] } })
    expect((await upload(user, 'x'.repeat(6 * 1024 * 1024))).status).toBe(413)
    const form = new FormData()
    for (const name of ['a.csv', 'b.csv']) form.append('file', new Blob([HEADER]), name)
    const { headers, body } = new Request('http://hub', { method: 'POST', body: form })
    const answer = await hub.app.request(
      '/api/v1/machines/import',
      {
        method: 'POST',
        headers: { authorization: `Bearer ${user.token}`, 'content-type': headers.get('content-type') as string },
        body: await new Response(body).arrayBuffer(),
      },
      { incoming: { socket: { remoteAddress: '10.1.1.1' } } },
    )
    expect([answer.status, await answer.json()]).toMatchObject([
      422,
      { errors: [{ path: 'body.file', message: expect.stringContaining('the only file') }] },
    ])
  })
})
