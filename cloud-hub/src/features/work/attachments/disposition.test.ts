import { parse } from 'content-disposition'
import { expect, it } from 'vitest'
import { disposition } from './disposition.ts'

it('names a download in any script, and is one line of ASCII', () => {
  const names = ['plan.pdf', 'Prüfprotokoll "neu".pdf', '検査記録.pdf', "it's; a=b%41.txt", 'a\\b.txt', '🙂', ' x ', 'ﬁ.txt', 'é']
  for (const name of names) {
    const header = disposition(name)
    expect(header).toMatch(/^attachment; [\x20-\x7e]+$/)
    expect(parse(header).parameters.filename).toBe(name)
  }
  expect(disposition('Prüfung.pdf')).toBe(`attachment; filename=Prufung.pdf; filename*=UTF-8''Pr%C3%BCfung.pdf`)
})
