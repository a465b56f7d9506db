import type { Language, Shot } from './views.ts'

export interface Picture extends Shot {
  file: string
  language: Language
  isEmpty: boolean
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** A page with all pictures, a row for each view. */
export function contactSheet(pictures: Picture[]): string {
  const rows = [...Map.groupBy(pictures, ({ name }) => name.replace(/-\d+-(light|dark)$/, ''))].map(
    ([view, of]) => `<h2>${escaped(view)}</h2><div>${of.map(figure).join('')}</div>`,
  )
  return `<!doctype html><meta charset="utf-8"><title>Screenshots of the console</title>
<style>body{font:14px system-ui;margin:2rem;background:#eee}div{display:flex;gap:1rem;overflow-x:auto;align-items:start}
figure{margin:0}img{height:20rem;max-width:24rem;object-fit:cover;object-position:top;border:1px solid #999}b{color:#b00}</style>
<h1>${pictures.length} screenshots</h1>
${rows.join('\n')}
`
}

const figure = ({ file, width, scheme, language, isEmpty, overflows }: Picture) =>
  `<figure><a href="${escaped(file)}"><img loading="lazy" src="${escaped(file)}" alt=""></a><figcaption>${width} ${scheme} ${language}${isEmpty ? ' empty' : ''}${overflows ? ' <b>too wide</b>' : ''}</figcaption></figure>`
