const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Haltless API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<link rel="stylesheet" href="/docs/page.css">
<script src="/docs/theme.js"></script>
</head>
<body>
<div id="ui"></div>
<noscript>This page needs JavaScript. The document itself is at <a href="/api/v1/openapi.json">/api/v1/openapi.json</a>.</noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/init.js"></script>
</body>
</html>
`

/** Loaded before the first paint: Swagger UI has a dark style, but switches it by this class only. */
const THEME = `const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()
`

/**
 * Groups begin collapsed. The filter of Swagger UI searches only names of groups. This one searches path, summary and description
 * of every operation, and opens groups with matches.
 */
const INIT = `const isFiltering = (filter) => typeof filter === 'string' && filter !== ''

const operationFilter = ({ React }) => ({
  fn: {
    opsFilter: (groups, phrase) => {
      const wanted = phrase.trim().toLowerCase()
      const isWanted = (one) =>
        [one.get('method'), one.get('path'), one.getIn(['operation', 'summary']), one.getIn(['operation', 'description'])]
          .join(' ')
          .toLowerCase()
          .includes(wanted)
      return groups
        .map((group, name) =>
          name.toLowerCase().includes(wanted) ? group : group.set('operations', group.get('operations').filter(isWanted)))
        .filter((group) => group.get('operations').size > 0)
    },
  },
  components: {
    FilterContainer: ({ layoutSelectors, layoutActions, specSelectors, getComponent }) => {
      const filter = layoutSelectors.currentFilter()
      const Col = getComponent('Col')
      const input = React.createElement('input', {
        className: 'operation-filter-input',
        type: 'search',
        placeholder: 'Filter operations by path or words',
        'aria-label': 'Filter operations',
        value: isFiltering(filter) ? filter : '',
        onChange: ({ target: { value } }) => {
          layoutActions.updateFilter(value)
          for (const tag of specSelectors.tags()) layoutActions.show(['operations-tag', tag.get('name')], value !== '')
        },
      })
      return React.createElement('div', { className: 'filter-container' }, React.createElement(Col, { className: 'filter wrapper', mobile: 12 }, input))
    },
  },
})

SwaggerUIBundle({
  url: '/api/v1/openapi.json',
  dom_id: '#ui',
  plugins: [operationFilter],
  validatorUrl: null,
  deepLinking: true,
  docExpansion: 'none',
  defaultModelsExpandDepth: 0,
  filter: true,
  persistAuthorization: false,
})
`

const STYLE = `.swagger-ui .info { margin: 24px 0 }
.swagger-ui .operation-filter-input { width: 100% }
.swagger-ui .markdown table { display: block; overflow-x: auto }
noscript { display: block; margin: 24px; font-family: sans-serif }
`

/** Scripts, and all requests that they send, are limited to this hub. Swagger UI sets styles of elements. */
export const DOCS_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/**
 * The files of the API document's page, by their name below /docs; '' is the page. The files of Swagger UI are served separately.
 */
export const DOCS_FILES: Record<string, { type: string; text: string }> = {
  '': { type: 'text/html; charset=utf-8', text: PAGE },
  'theme.js': { type: 'text/javascript', text: THEME },
  'init.js': { type: 'text/javascript', text: INIT },
  'page.css': { type: 'text/css', text: STYLE },
}
