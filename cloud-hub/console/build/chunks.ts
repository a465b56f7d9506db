import type { Plugin } from 'vite'

/** Modules of the console by their paths below `src`, without the ending. */
const ofConsole = (...paths: string[]) => new RegExp(`console/src/(?:${paths.join('|')})\\.tsx?$`)

/**
 * A page starts with three scripts, so that few can be lost on a bad line: the entry, the frame of the pages behind the sign-in, and the
 * page. Each of these holds what it needs; what many pages share is in the frame, and what dialogs need comes later.
 */
const GROUPS = {
  // with what the sign-in needs too, which has no frame
  start: [
    /rolldown.runtime/,
    ofConsole('main', 'kit/(?:field|form-text|notice)', 'i18n/(?:fault-text|format-context)'),
    /react-query\/.*useMutation/,
  ],
  frame: [
    ofConsole(
      'app/(?:csv-button|shell|machine-field|machine-groups|machine-name|machine-status|people|unavailable-page)',
      'api/(?:enums|download)',
      'i18n/(?:compare-names|wall-time)',
      'kit/(?!action-bar|comments|conflict-|csv|dialog-overlay|draft-|form-dialog|form-values|merge-|more-actions|record-|use-draft)[\\w-]+',
      'features/alerts/alert-text',
      'features/work/order-title',
      'features/downtime/(?:reason-label|records)',
      'features/overview/(?:overview-query|attention|status-bar)',
      'features/readings/latest-query',
    ),
  ],
  // loaded with the first chart of a page
  chart: [
    ofConsole(
      'features/readings/[\\w-]+',
      'features/machines/(?:charts-pane|empty-chart|latest-values|use-window)',
      'features/alerts/alert-chart',
      'features/notes/notes-list',
    ),
    /uplot/,
  ],
  'sign-in': [ofConsole('features/sign-in/[\\w-]+')],
  agents: [ofConsole('features/agents/(?:list-page|agent-page|enrol-page|sources/panel|updates/[\\w-]*(?:page|pane))')],
  alerts: [ofConsole('features/alerts/(?:inbox-page|group-list|alert-page|alert-row)', 'kit/action-bar')],
  erp: [ofConsole('features/erp/(?:page|connection-page)')],
  machines: [ofConsole('features/machines/(?:list-page|machine-page|(?:condition|data|work)-pane)', 'features/groups/page')],
  operations: [ofConsole('features/operations/(?:page|[\\w-]*pane)', 'features/machines/downtime-pane', 'features/sites/page')],
  rules: [ofConsole('features/rules/(?:page|[\\w-]*pane)')],
  settings: [ofConsole('features/settings/(?:page|[\\w-]*pane)', 'app/password-check')],
  work: [
    ofConsole(
      'features/work/(?:list-page|order-page|board)',
      'features/maintenance/(?:calendar-page|event-page)',
      'kit/more-actions',
    ),
  ],
}

export const CHUNKS = {
  groups: Object.entries(GROUPS).map(([name, patterns], index, all) => ({
    name,
    test: (id: string) => patterns.some((pattern) => pattern.test(id)),
    priority: all.length - index,
  })),
}

/** Such as `export{t as Shell}from"./frame-H.js";` and nothing else. */
const FACADE = /^export\s*\{([^}]*)\}\s*from\s*["'](\.\/[^"']+)["'];?\s*$/
/** Such as `t as Shell,n`. */
const pairsOf = (names: string) =>
  names.split(',').map((pair) => {
    const [inner = '', outer = inner] = pair.trim().split(/\s+as\s+/)
    return { inner, outer }
  })

interface Chunk {
  type: 'chunk'
  fileName: string
  code: string
}
type Bundle = Record<string, Chunk | { type: 'asset'; fileName: string; source: string | Uint8Array }>

/**
 * For each page in a group the bundler makes a file that only re-exports from the chunk of the group, and one for its own helpers. Each would be
 * one more request of the start, so imports of such a file are rewritten to the chunk itself.
 */
export function fewerFiles(): Plugin {
  return {
    name: 'haltless-fewer-files',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        withoutFacades(bundle as Bundle)
        withoutRuntime(bundle as Bundle)
      },
    },
  }
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const chunksOf = (bundle: Bundle) => Object.values(bundle).filter((it) => it.type === 'chunk')

function withoutFacades(bundle: Bundle): void {
  for (const facade of chunksOf(bundle)) {
    const [, names, target] = FACADE.exec(facade.code.trim()) ?? []
    if (!names || !target) continue
    const members = pairsOf(names).map(({ inner, outer }) => `${outer}:m.${inner}`)
    const dynamic = new RegExp(`import\\((["'\`])\\./${escaped(nameOf(facade))}\\1\\)`, 'g')
    for (const it of chunksOf(bundle))
      it.code = it.code.replaceAll(dynamic, `import("${target}").then(m=>({${members.join(',')}}))`)
    remove(bundle, facade, `assets/${target.slice(2)}`)
  }
}

/** The helpers become a part of the entry, which every other file needs anyway. */
function withoutRuntime(bundle: Bundle): void {
  const chunks = chunksOf(bundle)
  const runtime = chunks.find(({ fileName }) => fileName.includes('rolldown-runtime'))
  const start = chunks.find(({ fileName }) => fileName.startsWith('assets/start-'))
  const [, body, names] = /^([\s\S]*)export\s*\{([^}]*)\};?\s*$/.exec(runtime?.code ?? '') ?? []
  if (!runtime || !start || !body || !names) throw new Error('The bundler writes its helpers in another way.')
  const members = pairsOf(names).map(({ inner, outer }) => `${outer}:${inner}`)
  const uses = new RegExp(`import\\s*\\{([^}]*)\\}\\s*from\\s*["']\\./${escaped(nameOf(runtime))}["'];?`, 'g')
  const taken = (list: string) => `const{${pairsOf(list).map(({ inner, outer }) => `${inner}:${outer}`)}}=`
  for (const it of chunks) {
    if (it === start || it === runtime) continue
    it.code = it.code.replaceAll(
      uses,
      (_, list) => `import{bundlerHelpers as HELPERS}from"./${nameOf(start)}";${taken(list)}HELPERS;`,
    )
  }
  const helpers = `const HELPERS=(()=>{${body}return{${members}}})();export{HELPERS as bundlerHelpers};`
  start.code = helpers + start.code.replaceAll(uses, (_, list) => `${taken(list)}HELPERS;`)
  remove(bundle, runtime, start.fileName)
}

const nameOf = ({ fileName }: Chunk) => fileName.replace(/^assets\//, '')

/** Removes a file; lists of files name what replaces it. */
function remove(bundle: Bundle, { fileName }: Chunk, instead: string): void {
  delete bundle[fileName]
  for (const it of Object.values(bundle)) {
    if (it.type === 'chunk') it.code = it.code.replaceAll(`"${fileName}"`, `"${instead}"`)
    else if (/\.(?:html|json)$/.test(it.fileName)) {
      const text = typeof it.source === 'string' ? it.source : new TextDecoder().decode(it.source)
      const script = new RegExp(`\\n\\s*<script[^>]*${escaped(fileName)}[^>]*></script>`)
      it.source = text.replace(script, '').replaceAll(`"${fileName}"`, `"${instead}"`)
    }
  }
}
