const EVERY_MS = 2000
const byId = (id) => document.getElementById(id)
let newest = null

const element = (name, text, kind) => {
  const made = document.createElement(name)
  if (text !== undefined) made.textContent = text
  if (kind) made.className = kind
  return made
}

function duration(ms) {
  if (ms < 60000) return `${Math.max(0, Math.round(ms / 1000))} s`
  if (ms < 3600000) return `${Math.round(ms / 60000)} min`
  if (ms < 172800000) return `${(ms / 3600000).toFixed(1)} h`
  return `${(ms / 86400000).toFixed(1)} days`
}
const ago = (ms) => (ms === null ? 'never' : `${duration(ms)} ago`)
const number = (value) => (Number.isInteger(value) ? value.toLocaleString('en') : Number(value.toPrecision(6)).toString())
const megabytes = (bytes) => `${(bytes / 1048576).toFixed(bytes < 1e8 ? 1 : 0)} MB`

function facts(id, rows) {
  byId(id).replaceChildren(...rows.flatMap(([name, text, kind]) => [element('dt', name), element('dd', text, kind)]))
}

const WAYS = { mqtt: 'MQTT', websocket: 'MQTT over WebSocket', http: 'HTTPS' }
const STATES = { starting: 'wait', running: 'good', reconnecting: 'wait', failing: 'bad', paused: 'wait', stopped: 'wait' }

function show(view) {
  const since = (at) => (at === null ? 'never' : `${duration(view.now - at)} ago`)
  byId('name').textContent = view.agent_id
  const broken = view.collectors.filter(({ state }) => state !== 'running').length
  byId('state').textContent =
    `Version ${view.version}, running for ${duration(view.now - view.started_at)}. ` +
    (broken === 0 ? 'All devices answer.' : `${broken} of ${view.collectors.length} connections do not work.`)
  facts('uplink', [
    ['Hub', view.hub.url],
    [
      'State',
      view.uplink.via ? `${view.uplink.state} over ${WAYS[view.uplink.via]}` : view.uplink.state,
      view.uplink.state === 'sending' ? 'good' : 'wait',
    ],
    ['Last receipt', since(view.uplink.last_receipt_at)],
    ['Confirmed', `${view.uplink.stored.toLocaleString('en')} readings since the start`],
    ...(view.uplink.detail ? [['Fault', view.uplink.detail, 'bad']] : []),
    ...(view.hub.detail ? [['Hub says', view.hub.detail, 'bad']] : []),
  ])
  const { buffer } = view
  facts('buffer', [
    ['Waiting', `${buffer.readings.toLocaleString('en')} readings`],
    ['Oldest', buffer.age_ms === null ? 'none waits' : `for ${duration(buffer.age_ms)}`],
    ['Used', `${megabytes(buffer.used_bytes)} of ${megabytes(buffer.capacity_bytes)}`],
    [
      'Full in',
      buffer.full_in_hours === null ? 'it does not grow' : duration(buffer.full_in_hours * 3600000),
      buffer.full_in_hours !== null && buffer.full_in_hours < 24 ? 'bad' : '',
    ],
    ['Dropped', `${buffer.dropped.toLocaleString('en')} readings`, buffer.dropped > 0 ? 'bad' : ''],
    ['Rejected', `${buffer.dead_letters.toLocaleString('en')} readings`, buffer.dead_letters > 0 ? 'bad' : ''],
    ...(buffer.fault ? [['Disk', `accepts no write (${buffer.fault})`, 'bad']] : []),
  ])
  byId('collectors').replaceChildren(
    ...(view.collectors.length === 0 ? [element('li', 'No device is configured yet: add collectors to agent.yaml.')] : []),
    ...view.collectors.map(({ name, state, detail, last_read_ago_ms, readings, tags, bad_tags, missed_polls, clock }) => {
      const item = element('li')
      item.append(element('strong', name), ' ', element('span', detail ? `${state}: ${detail}` : state, STATES[state]))
      const bad = bad_tags > 0 ? `, ${bad_tags} without a good value` : ''
      const missed = missed_polls > 0 ? `, ${missed_polls.toLocaleString('en')} missed polls` : ''
      item.append(
        element(
          'small',
          `last reading ${ago(last_read_ago_ms)}, ${readings.toLocaleString('en')} readings, ${tags} tags${bad}${missed}${clock ? `; ${clock}` : ''}`,
        ),
      )
      return item
    }),
  )
  showTags(view)
  byId('errors').replaceChildren(
    ...(view.errors.length === 0 ? [element('li', 'None since the start.')] : []),
    ...view.errors.map(({ what, words, since: from, until }) => {
      const item = element('li')
      item.append(element('strong', what), ' ', element('span', words, until === null ? 'bad' : ''))
      item.append(element('small', `${since(from)}${until === null ? ', still' : `, for ${duration(until - from)}`}`))
      return item
    }),
  )
  byId('content').hidden = false
}

function showTags({ tags, tags_left_out }) {
  const words = byId('search').value.toLowerCase().split(/\s+/).filter(Boolean)
  const found = tags.filter((tag) => {
    const text = `${tag.collector} ${tag.machine} ${tag.metric} ${tag.raw_tag}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  byId('tags').replaceChildren(
    ...found.map((tag) => {
      const row = element('tr')
      const value = tag.value === null ? '-' : `${number(tag.value)} ${tag.unit}`
      row.append(
        element('td', tag.machine ?? tag.collector),
        element('td', tag.metric),
        element('td', value, 'number'),
        element('td', ago(tag.ago_ms)),
        element('td', tag.fault ?? 'good', tag.fault ? 'bad' : 'good'),
        element('td', tag.raw_tag ?? ''),
      )
      return row
    }),
  )
  byId('more').textContent =
    found.length === 0
      ? 'No tag matches, or none was read yet.'
      : tags_left_out > 0
        ? `${tags_left_out} more tags are not listed.`
        : ''
}

function showState(words) {
  byId('state').textContent = words
}

async function refresh() {
  try {
    const answer = await fetch('overview', { cache: 'no-store' })
    if (answer.status === 401) {
      byId('content').hidden = true
      return showState((await answer.json()).detail)
    }
    newest = await answer.json()
    show(newest)
  } catch {
    showState('The agent does not answer. It may be stopped, or the tunnel is closed.')
  }
  setTimeout(refresh, EVERY_MS)
}

async function start() {
  const token = location.hash.slice(1)
  history.replaceState(null, '', location.pathname)
  if (token) {
    const answer = await fetch('session', { method: 'POST', body: token }).catch(() => null)
    if (answer?.status === 401) showState((await answer.json()).detail)
  }
  await refresh()
}

byId('search').addEventListener('input', () => newest && showTags(newest))
start()
