import type { PlacedOperation } from './document.ts'

/** A request as its examples send it. */
export interface ExampleRequest {
  method: string
  /** below the address of the API, with the example's ids and the query it needs */
  path: string
  /** the same in parts, with `{name}` for ids */
  template: string
  ids: Record<string, string>
  query: Record<string, unknown>
  credential: 'token' | 'key' | 'enrolment_key' | 'none'
  body: { kind: 'json'; value: unknown } | { kind: 'file'; field: string } | null
  /** the answer is not JSON */
  answersText: boolean
  /** the answer goes on until one of both sides ends it */
  isStream: boolean
}

export const LANGUAGES = [
  ['curl', 'curl'],
  ['typescript', 'TypeScript'],
  ['python', 'Python'],
] as const
export type Language = (typeof LANGUAGES)[number][0]

const CREDENTIALS: Record<string, ExampleRequest['credential']> = {
  bearerAuth: 'token',
  apiKey: 'key',
  enrolmentKey: 'enrolment_key',
}

/** @param idOf the example of a path parameter */
export function requestOf(operation: PlacedOperation, idOf: (name: string) => string): ExampleRequest {
  const { parameters = [], security } = operation
  const template = operation.path.replace(/^\/api\/v1/, '')
  const of = (place: 'path' | 'query') =>
    Object.fromEntries(
      parameters
        .filter((one) => one.in === place && (place === 'path' || one.required))
        .map(({ name, example }) => [name, example ?? idOf(name)]),
    )
  const [ids, query] = [of('path') as Record<string, string>, of('query')]
  const path = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(ids[name])))
  const given = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString()
  const [scheme] = security.flatMap((one) => Object.keys(one))
  const content = operation.requestBody?.content ?? {}
  const json = content['application/json']
  const form = content['multipart/form-data']
  const field = Object.keys(form?.schema.properties ?? {})[0]
  const answers = Object.entries(operation.responses).find(([status]) => status.startsWith('2'))?.[1].content
  return {
    method: operation.method,
    path: given ? `${path}?${given}` : path,
    template,
    ids,
    query,
    credential: (scheme && CREDENTIALS[scheme]) || 'none',
    body: json ? { kind: 'json', value: json.example } : field ? { kind: 'file', field } : null,
    answersText: answers === undefined || !('application/json' in answers),
    isStream: answers !== undefined && 'text/event-stream' in answers,
  }
}

/**
 * The request in one language, which needs nothing but the language, and for TypeScript the client. `url` is the address of the API, `token` or `key` the credential.
 * Source of the quoting in sh: POSIX.1-2024, 2.2.2
 */
export const requestCode = (request: ExampleRequest, language: Language): string => CODE[language](request)

const CODE: Record<Language, (request: ExampleRequest) => string> = {
  curl: ({ method, path, credential, body, isStream }) => {
    const parts = [`curl -s${isStream ? 'N' : ''} ${method === 'GET' ? '' : `-X ${method} `}"$url${path}"`]
    if (credential === 'token') parts.push('-H "Authorization: Bearer $token"')
    if (isKey(credential)) parts.push(`-H "X-API-Key: $${credential}"`)
    if (body?.kind === 'file') parts.push(`-F ${body.field}=@file`)
    if (body?.kind === 'json')
      parts.push("-H 'Content-Type: application/json'", `-d '${JSON.stringify(body.value, null, 2).replaceAll("'", "'\\''")}'`)
    return parts.join(' \\\n  ')
  },
  typescript: (request) =>
    request.credential === 'token' && request.body?.kind !== 'file' ? withClient(request) : withFetch(request),
  python: ({ method, path, credential, body, answersText, isStream }) => {
    const headers = [
      ...(credential === 'token' ? ['"Authorization": "Bearer " + token'] : []),
      ...(isKey(credential) ? [`"X-API-Key": ${credential}`] : []),
      ...(body?.kind === 'json' ? ['"Content-Type": "application/json"'] : []),
      ...(body?.kind === 'file' ? ['"Content-Type": "multipart/form-data; boundary=" + boundary'] : []),
    ]
    const given = [
      `url + "${path}"`,
      ...(method === 'GET' ? [] : [`method="${method}"`]),
      ...(headers.length > 0 ? [`headers={${headers.join(', ')}}`] : []),
      ...(body?.kind === 'file' ? ['data=data'] : []),
      ...(body?.kind === 'json' ? [`data=json.dumps(${indent(pythonOf(body.value), 4)}).encode()`] : []),
    ]
    return [
      `import json, urllib.request${body?.kind === 'file' ? ', uuid' : ''}`,
      '',
      ...(body?.kind === 'file' ? formOf(body.field) : []),
      `request = urllib.request.Request(\n    ${given.join(',\n    ')},\n)`,
      'with urllib.request.urlopen(request) as answer:',
      isStream
        ? '    for line in answer:\n        print(line.decode().rstrip())'
        : answersText
          ? '    print(answer.status, answer.read().decode())'
          : '    print(json.load(answer))',
    ].join('\n')
  },
}

/** A form with one file, which the standard library of Python does not make. */
const formOf = (field: string): string[] => [
  'boundary = uuid.uuid4().hex',
  `head = f'--{boundary}\\r\\nContent-Disposition: form-data; name="${field}"; filename="file"\\r\\n\\r\\n'`,
  'with open("file", "rb") as file:',
  "    data = head.encode() + file.read() + f'\\r\\n--{boundary}--\\r\\n'.encode()",
  '',
]

function withClient({ method, template, ids, query, body, answersText, isStream }: ExampleRequest): string {
  const literal = (value: unknown) => JSON.stringify(value, null, 2)
  const input = [
    ...(Object.keys(ids).length > 0 ? [`path: ${literal(ids)},`] : []),
    ...(Object.keys(query).length > 0 ? [`query: ${literal(query)},`] : []),
    ...(body?.kind === 'json' ? [`body: ${literal(body.value)},`] : []),
  ]
  const given = input.length > 0 ? `, {\n  ${input.map((line) => indent(line, 2)).join('\n  ')}\n}` : ''
  const verb = method.toLowerCase()
  const call = answersText && verb === 'get' ? `raw('get', '${template}'${given})` : `${verb}('${template}'${given})`
  const hub = ["import { HaltlessClient } from '@haltless/client'", '', 'const hub = new HaltlessClient({ url, token })']
  if (isStream) return [...hub, 'for await (const { event, data } of hub.stream()) console.log(event, data)'].join('\n')
  return [...hub, answersText && verb !== 'get' ? `await hub.${call}` : `const answer = await hub.${call}`].join('\n')
}

function withFetch({ method, path, credential, body, answersText }: ExampleRequest): string {
  const headers = [
    ...(credential === 'token' ? ["authorization: 'Bearer ' + token"] : []),
    ...(isKey(credential) ? [`'x-api-key': ${credential}`] : []),
    ...(body?.kind === 'json' ? ["'content-type': 'application/json'"] : []),
  ]
  const options = [
    ...(method === 'GET' ? [] : [`method: '${method}',`]),
    ...(headers.length > 0 ? [`headers: { ${headers.join(', ')} },`] : []),
    ...(body?.kind === 'file' ? ['body: form,'] : []),
    ...(body?.kind === 'json' ? [`body: JSON.stringify(${indent(JSON.stringify(body.value, null, 2), 2)}),`] : []),
  ]
  const given = options.length > 0 ? `, {\n  ${options.join('\n  ')}\n}` : ''
  return [
    ...(body?.kind === 'file' ? ['const form = new FormData()', `form.set('${body.field}', file)`] : []),
    `const answer = await fetch(\`\${url}/api/v1${path}\`${given})`,
    'if (!answer.ok) throw new Error(await answer.text())',
    answersText ? 'console.log(answer.status, await answer.text())' : 'console.log(await answer.json())',
  ].join('\n')
}

const isKey = (credential: ExampleRequest['credential']) => credential === 'key' || credential === 'enrolment_key'

const indent = (text: string, by: number) => text.replaceAll('\n', `\n${' '.repeat(by)}`)

/** A value of JSON as a literal of Python. */
function pythonOf(value: unknown, depth = 0): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const [open, close, items] = Array.isArray(value)
    ? ['[', ']', value.map((one) => pythonOf(one, depth + 1))]
    : ['{', '}', Object.entries(value).map(([key, one]) => `${JSON.stringify(key)}: ${pythonOf(one, depth + 1)}`)]
  if (items.length === 0) return open + close
  const line = `\n${'  '.repeat(depth + 1)}`
  return `${open}${line}${items.join(`,${line}`)}\n${'  '.repeat(depth)}${close}`
}
