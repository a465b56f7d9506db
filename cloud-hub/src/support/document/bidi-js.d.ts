/** As far as the documents use it. Source: bidi-js 1.1.0, README */
declare module 'bidi-js' {
  interface EmbeddingLevels {
    /** by UTF-16 index; an odd level is right-to-left */
    levels: Uint8Array
    paragraphs: { level: number }[]
  }

  export default function bidiFactory(): {
    getEmbeddingLevels(text: string, direction?: 'ltr' | 'rtl' | 'auto'): EmbeddingLevels
    /** the UTF-16 indices in the order of display */
    getReorderedIndices(text: string, levels: EmbeddingLevels): number[]
    getMirroredCharacter(character: string): string | null
  }
}
