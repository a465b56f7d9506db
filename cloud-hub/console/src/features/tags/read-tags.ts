export interface TagText {
  raw_tag: string
  context?: string
}

/** Reads one tag a line. A tab or | begins its description; tags themselves may have spaces, commas and semicolons. */
export function readTags(text: string): TagText[] {
  const tags = new Map<string, TagText>()
  for (const line of text.split('\n')) {
    const [tag = '', ...rest] = line.split(/[\t|]/)
    const context = rest.join(' ').trim()
    if (tag.trim()) tags.set(tag.trim(), { raw_tag: tag.trim(), ...(context ? { context } : {}) })
  }
  return [...tags.values()]
}
