import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { PDFDocument, PDFName } from 'pdf-lib'
import { afterAll, describe, expect, it } from 'vitest'
import type { Block, DocumentContent } from '../src/support/document/blocks.ts'
import { renderDocument } from '../src/support/document/render-document.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'haltless document '))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const NAMES = [
  'Łukasz Żółć',
  'Γιώργος Παπαδόπουλος',
  'Сергей Щукин',
  '王小明',
  '山田 かな',
  '김민수',
  'Nguyễn Thị Ánh',
  'Győző Ţițeiș',
]

/** a blue area of 60 x 30 pixels */
const jpeg = Buffer.from(
  [
    '/9j/2wBDABQODxIPDRQSEBIXFRQYHjIhHhwcHj0sLiQySUBMS0dARkVQWnNiUFVtVkVGZIhlbXd7gYKBTmCNl4x9lnN+gXz/2wBDARUXFx4aHj',
    'shITt8U0ZTfHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHx8fHz/wAARCAAeADwDASIAAhEBAxEB/8QAFQAB',
    'AQAAAAAAAAAAAAAAAAAAAAT/xAAUEAEAAAAAAAAAAAAAAAAAAAAA/8QAFQEBAQAAAAAAAAAAAAAAAAAAAAT/xAAUEQEAAAAAAAAAAAAAAAAAAA',
    'AA/9oADAMBAAIRAxEAPwCEBakAAAAAAAAAAAAAAf/Z',
  ].join(''),
  'base64',
)

const everyBlock = (): Block[] => [
  {
    kind: 'title',
    text: 'A title',
    subtitle: NAMES.join(', '),
    code: { text: 'https://hub.example.com/verify/x', caption: 'Scan' },
  },
  { kind: 'notice', tone: 'good', title: 'All is well', text: 'The notice explains it. '.repeat(10) },
  { kind: 'heading', text: 'A heading' },
  {
    kind: 'facts',
    rows: [
      [
        ['Machine', 'Press 7'],
        ['Identifier', 'P-7'],
      ],
      [['Description', 'It is long. '.repeat(60)]],
      [],
    ],
  },
  { kind: 'figures', figures: [{ label: 'critical', value: '3', tone: 'critical' }] },
  { kind: 'paragraph', text: 'First line.\nSecond line.' },
  { kind: 'photos', photos: [1, 2, 3].map((n) => ({ jpeg, caption: `Photo ${n}`, alternative: `A blue area ${n}` })) },
  {
    kind: 'table',
    caption: 'Steps',
    columns: [
      { name: 'Step', share: 1, isNumber: true },
      { name: 'Text', share: 6 },
    ],
    rows: Array.from({ length: 60 }, (_, i) => [
      String(i + 1),
      { text: NAMES[i % NAMES.length] as string, isBold: true, detail: 'detail' },
    ]),
    none: 'None.',
  },
  { kind: 'table', caption: 'Nothing', columns: [{ name: 'Name', share: 1 }], rows: [], none: 'There is nothing.' },
]

const content = (values: Partial<DocumentContent> = {}): DocumentContent => ({
  title: 'Certificate <&> of Łódź',
  language: 'en',
  createdAt: new Date('2026-03-02T08:00:00Z'),
  runningTitle: 'Running title',
  footer: 'Footer',
  pageNumber: 'Page {page} of {pages}',
  blocks: everyBlock(),
  attachment: { name: 'certificate.json', bytes: Buffer.from('{"a":1}'), mimeType: 'application/json', description: 'data' },
  ...values,
})

const stored = (pdf: Buffer) => {
  const file = path.join(folder, 'document.pdf')
  writeFileSync(file, pdf)
  return file
}
const textOf = (pdf: Buffer) => execFileSync('pdftotext', [stored(pdf), '-'], { encoding: 'utf8' }).normalize('NFC')

describe('a document', () => {
  it('has the same bytes for the same content, and other bytes for other content', async () => {
    const first = await renderDocument(content())
    expect(await renderDocument(content())).toEqual(first)
    expect(await renderDocument(content({ title: 'Another' }))).not.toEqual(first)
  })

  it('passes qpdf --check and gives its text to a reader, in every script and in reading order', async () => {
    const pdf = await renderDocument(content())
    expect(execFileSync('qpdf', ['--check', stored(pdf)], { encoding: 'utf8' })).toContain('No syntax or stream encoding errors')
    const text = textOf(pdf)
    for (const name of NAMES) expect(text).toContain(name.normalize('NFC'))
    expect(text.indexOf('A heading')).toBeGreaterThan(text.indexOf('All is well'))
    const pages = Number(/Page 1 of (\d+)/.exec(text)?.[1])
    expect(pages).toBeGreaterThan(2)
    expect(text).toContain(`Page ${pages} of ${pages}`)
  })

  it('is tagged: language, title, headings, tables with column heads, and figures with a text for blind readers', async () => {
    const pdf = await renderDocument(content())
    const { catalog } = await PDFDocument.load(pdf, { updateMetadata: false })
    expect(String(catalog.get(PDFName.of('Lang')))).toContain('en')
    expect(String(catalog.lookup(PDFName.of('MarkInfo')))).toContain('/Marked true')
    expect(String(catalog.lookup(PDFName.of('ViewerPreferences')))).toContain('/DisplayDocTitle true')
    const structure = execFileSync('pdfinfo', ['-struct-text', stored(pdf)], { encoding: 'utf8' })
    for (const tag of ['H1', 'H2', 'Table', 'TH', 'Scope /Column', 'Figure']) expect(structure).toContain(tag)
    expect(structure).toMatch(/P \(block\)\s+"First line\. Second line\. ?"/)
    const info = execFileSync('pdfinfo', ['-meta', stored(pdf)], { encoding: 'utf8' })
    expect(info).toContain('<rdf:li xml:lang="x-default">Certificate &lt;&amp;&gt; of Łódź</rdf:li>')
    expect(info).toContain('<xmp:CreateDate>2026-03-02T08:00:00Z</xmp:CreateDate>')
  })

  it('embeds only the fonts that its text needs', async () => {
    const fontsOf = (pdf: Buffer) => execFileSync('pdffonts', [stored(pdf)], { encoding: 'utf8' })
    const latin = await renderDocument(content({ blocks: [{ kind: 'paragraph', text: 'Only Latin' }] }))
    expect(fontsOf(latin)).not.toMatch(/NotoSansSC|NanumGothic/)
    expect(latin.length).toBeLessThan(20_000)
    const all = fontsOf(await renderDocument(content()))
    for (const name of ['Arimo-Regular', 'Arimo-Bold', 'NotoSansSC-Bold', 'NanumGothic']) expect(all).toContain(name)
  })

  it('carries its attachment unchanged', async () => {
    const file = stored(await renderDocument(content()))
    const shown = execFileSync('qpdf', ['--show-attachment=certificate.json', file], { encoding: 'utf8' })
    expect(shown).toBe('{"a":1}')
  })

  it('splits a row that is longer than a page, and loses no word of it', async () => {
    const words = Array.from({ length: 2_000 }, (_, i) => `w${i}.`)
    const blocks: Block[] = [{ kind: 'table', columns: [{ name: 'Text', share: 1 }], rows: [[words.join(' ')]], none: '' }]
    const text = textOf(await renderDocument(content({ blocks })))
    for (const word of words) expect(text).toContain(word)
  })

  it('keeps running title and footer inside the margins and off the name and page number beside them, however wide the letters', async () => {
    for (const wide of ['漢'.repeat(200), 'W'.repeat(200)]) {
      const pdf = await renderDocument(content({ runningTitle: wide, footer: wide }))
      const boxes = execFileSync('pdftotext', ['-bbox', '-f', '2', '-l', '2', stored(pdf), '-'], { encoding: 'utf8' })
      const words = [...boxes.matchAll(/<word xMin="([\d.]+)" .* xMax="([\d.]+)" .*>(.*)<\/word>/g)]
      const at = (text: string) => words.filter(([, , , word]) => word?.includes(text))
      const [[, , brandEnd] = [], [, pageStart] = []] = [...at('Haltless'), ...at('Page')]
      const lines = at('…')
      expect(lines).toHaveLength(2)
      expect(Number(lines[0]?.[1])).toBeGreaterThan(Number(brandEnd) + 5)
      expect(Number(lines[1]?.[2])).toBeLessThan(Number(pageStart) - 5)
      for (const [, start, end] of lines) {
        expect(Number(start)).toBeGreaterThan(47)
        expect(Number(end)).toBeLessThan(549)
      }
    }
  })

  it('shows a box for a letter that no font has, and says so only then', async () => {
    const note = 'A box stands for an unknown letter.'
    const textWith = async (text: string) =>
      textOf(await renderDocument(content({ blocks: [{ kind: 'paragraph', text }], unknownLetters: note })))
    expect(await textWith('a ក')).toContain('□')
    expect(await textWith('a ក')).toContain(note)
    expect(await textWith('محمد สมชาย हिन्दी שלום 🏭')).not.toContain(note)
    expect(await textWith('a factory')).not.toContain(note)
  })

  const named = (names: string[]) => renderDocument(content({ blocks: names.map((text) => ({ kind: 'paragraph', text })) }))
  /** Direction marks that pdftotext adds around right-to-left words. */
  const lettersOf = (pdf: Buffer) => textOf(pdf).replace(/[\u200e\u200f\u202a-\u202e]/g, '')

  it.each([
    ['Arabic, whose letters share glyphs and differ by dots', 'صيانة الآلات وقلم'],
    ['Arabic inside a Latin text', 'Signed by محمد علي on Monday'],
    ['Latin inside an Arabic text', 'فني محمد Press الصيانة'],
    ['Hebrew', 'עולם'],
    ['Thai with tone marks', 'ที่นี่ผู้ใหญ่'],
    ['Devanagari with vowels before and conjuncts', 'नरेन्द्र हिन्दी क्षत्रिय'],
    ['emoji of one and of several characters', 'Werk 🏭 Team 👩‍🔧 👍🏽 🇩🇪'],
  ])('gives %s to a reader in logical order', async (_, name) => {
    const pdf = await named([name])
    expect(execFileSync('qpdf', ['--check', stored(pdf)], { encoding: 'utf8' })).toContain('No syntax or stream')
    for (const word of name.split(' ')) expect(lettersOf(pdf)).toContain(word)
    expect(await named([name])).toEqual(pdf)
  })

  it('stays small for a name of 10,000 signs on one letter, and for one of 10,000 joined emoji', async () => {
    for (const name of [`ب${'\u064b'.repeat(10_000)}`, `क${'\u0902'.repeat(10_000)}`, `a${'\u0301'.repeat(10_000)}`]) {
      const pdf = await named([name])
      expect(pdf.length).toBeLessThan(20_000)
      expect(textOf(pdf).match(/\p{M}/gu)?.length ?? 0).toBeLessThanOrEqual(8)
    }
    expect((await named([`${'👩\u200d'.repeat(10_000)}👩`])).length).toBeLessThan(200_000)
  })
})
