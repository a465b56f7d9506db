import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import packageJson from '../package.json' with { type: 'json' }

const root = path.resolve(import.meta.dirname, '..')
const PAGES = ['install', 'collectors', 'clock-and-disk', 'updates', 'commissioning']
const LINE_MAX = 160
const CELL_MAX = 120

const read = (file: string) => readFileSync(path.join(root, file), 'utf8')
/** A page without the blocks of code, in which brackets are no links and hashes no headings. */
const proseOf = (file: string) => read(file).replace(/^ *```.*?^ *```$/gms, '')

/** The anchors of a page as GitHub makes them: of a second heading with the same words `words-1`. */
function anchorsOf(file: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of proseOf(file).matchAll(/^#{1,6} (.+)$/gm)) {
    const words = heading.toLowerCase().replace(/[^\p{L}\p{N}\-_ ]/gu, '')
    const anchor = words.replaceAll(' ', '-')
    let name = anchor
    for (let n = 1; anchors.has(name); n++) name = `${anchor}-${n}`
    anchors.add(name)
  }
  return anchors
}

/** @returns the links of a page that lead nowhere */
function brokenLinks(file: string): string[] {
  const links = Array.from(proseOf(file).matchAll(/\]\(([^)\s]+)\)/g), ([, link = '']) => link)
  return links.filter((link) => {
    // pages of a hub are checked by cloud-hub/src/docs/docs.test.ts
    if (/^([a-z]+:|\/docs\/)/.test(link)) return false
    const [name = '', anchor] = link.split('#')
    const target = name === '' ? file : path.join(path.dirname(file), name)
    if (!existsSync(path.join(root, target))) return true
    return anchor !== undefined && !(statSync(path.join(root, target)).isFile() && anchorsOf(target).has(anchor))
  })
}

describe('the guide of the agent', () => {
  const pages = globSync('edge-agent/docs/*.md', { cwd: root })

  it('is five pages that its index names', () => {
    expect(pages.map((page) => path.basename(page, '.md')).toSorted()).toEqual(['README', ...PAGES].toSorted())
    for (const page of PAGES) expect(read('edge-agent/docs/README.md')).toContain(`](${page}.md)`)
  })
})

describe('the pages for contributors', () => {
  const pages = globSync('.github/*.md', { cwd: root })

  it('name only files and scripts that exist', () => {
    const codes = pages.flatMap((page) => Array.from(proseOf(page).matchAll(/`([^`]+)`/g), ([, code = '']) => code))
    const files = codes.filter((code) => /^(?:\.ci|cloud-hub|edge-agent|install|protocol)\/\S+$/.test(code))
    expect(files.length).toBeGreaterThan(40)
    expect(files.filter((file) => globSync(file.replace(/XX|NAME/g, '*'), { cwd: root }).length === 0)).toEqual([])
    const scripts = codes.flatMap((code) => /^npm run (?:-s )?([\w:-]+)/.exec(code)?.[1] ?? [])
    expect(scripts.filter((script) => !(script in packageJson.scripts))).toEqual([])
  })
})

const allPages = globSync('**/*.md', {
  cwd: root,
  exclude: (name) => /^(?:node_modules|dist|\.cache|\.tsc|\.git)$/.test(path.basename(name)),
})

it.each(allPages)(`%s has no line over ${LINE_MAX} characters outside tables and no cell over ${CELL_MAX}`, (page) => {
  const lines = read(page).split('\n')
  expect(lines.filter((line) => !line.startsWith('|') && line.length > LINE_MAX)).toEqual([])
  const cells = lines.filter((line) => line.startsWith('|')).flatMap((line) => line.split(/(?<!\\)\|/))
  expect(cells.filter((cell) => cell.trim().length > CELL_MAX)).toEqual([])
})

it('links between pages lead to files and headings that exist', () => {
  expect(allPages.length).toBeGreaterThan(60)
  expect(allPages.flatMap((page) => brokenLinks(page).map((link) => `${page}: ${link}`))).toEqual([])
})
