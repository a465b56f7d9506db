import type { Plugin } from 'vite'

/** That of every page in English and German. */
const FONT = /inter-latin-wght-normal-[\w-]+\.woff2$/

/** Lets the page ask for its font before its style names it, so that the font is there for the first text. */
export function preloadFont(): Plugin {
  return {
    name: 'haltless-preload-font',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const font = Object.keys(bundle).find((name) => FONT.test(name))
        if (!font) throw new Error('The build has no font.')
        // fonts are asked for without credentials, also from the same origin
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', href: `/${font}`, crossorigin: '' }
        return [{ tag: 'link', attrs, injectTo: 'head' }]
      },
    },
  }
}
