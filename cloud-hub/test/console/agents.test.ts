import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { startModbusServer } from '../../../edge-agent/src/plant/modbus-server.ts'
import { DataType, OpcUaSimulator } from '../../../edge-agent/test/support/opcua-simulator.ts'
import type { RunningHub } from '../../src/hub.ts'
import { endAll, run } from '../processes.ts'
import { useRunningHubs } from '../running-hub.ts'
import { ensureRelease, takesUpdates } from '../support/agent-releases.ts'
import { accessibilityFaults, useBrowser } from './browser.ts'
import { call, soon } from './call.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant, type Plant } from './plant.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'console-sources-'))
const hubs = useRunningHubs({ DATA_DIR: folder, HEARTBEAT_SECONDS: '1' })
let hub: RunningHub

/** Starts a real agent without collectors of its own. */
async function agentOf(plant: Plant, name: string): Promise<void> {
  const file = path.join(folder, `${name}.yaml`)
  const config = { hub: { url: hub.url, api_key: plant.key }, agent_id: name, data_dir: path.join(folder, name) }
  await writeFile(file, stringify({ ...config, local_page: { enabled: false } }))
  run('edge-agent/src/main.ts', ['run', '--config', file])
  await soon(async () => (await plant.call('GET', 'agent/fleet')).agents.find((it: { sources: unknown }) => it.sources))
}

const readings = (plant: Plant) => plant.call('GET', `machines/${plant.machineId}/readings/latest`)

describe.skipIf(noBrowser)('in a browser', () => {
  beforeAll(async () => {
    hub = await hubs.start()
    await ensureRelease(hubs.owner, '0.2.0', 7)
  })
  const browser = useBrowser(() => hub.url)
  afterEach(endAll)
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it('a source of an agent is created, its nodes are found on the server, and their readings arrive', async () => {
    const opcua = await OpcUaSimulator.start({ dir: folder })
    try {
      opcua.addTo(opcua.folder('Press 1'), 'OilTemperature', DataType.Double, 41.5, '°C')
      opcua.setClock(-3 * 3_600_000)
      const plant = await newPlant(hub)
      await agentOf(plant, 'line-1')
      const { page, expected } = await browser.visit()
      await enter(page, hub, plant.email, '/agents/line-1')
      await page.getByRole('button', { name: 'Add a source' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Machine').fill('pump')
      await dialog.getByRole('option', { name: 'Cooling pump' }).click()
      await dialog.getByLabel('Name', { exact: true }).fill('Press 1')
      await dialog.getByLabel('Host').fill('127.0.0.1')
      await dialog.getByLabel('Port').fill(String(opcua.port))
      await dialog.getByLabel('Seconds between polls').fill('5')
      expect(await accessibilityFaults(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Save, then choose tags' }).click()
      await dialog.getByRole('heading', { name: 'Tags of Press 1' }).waitFor()
      await soon(async () => {
        const [agent] = (await plant.call('GET', 'agent/fleet')).agents
        return agent.sources?.running_revision === agent.sources?.revision
      })
      await dialog.getByLabel('Words of the path').fill('oil')
      // on a busy machine the agent answers too late: a person searches again
      expected.push(/503 .*\/browse/)
      const node = dialog.getByText('41.5 °C')
      for (let tries = 0; tries < 5 && !(await node.isVisible()); tries++) {
        await dialog.getByRole('button', { name: 'Search the server' }).click()
        await node.waitFor({ timeout: 15_000 }).catch(() => {})
      }
      await node.waitFor()
      await dialog.getByLabel('Choose Press 1 / OilTemperature').check()
      await dialog.getByRole('button', { name: 'Add 1 node' }).click()
      await dialog.getByRole('heading', { name: '1 tag' }).waitFor()
      for (const [element, address] of [
        ['1, 2', /OilTemperature\[1,2\]$/],
        ['', /OilTemperature$/],
      ] as const) {
        await dialog.locator('summary', { hasText: 'Rules for its values' }).click()
        await dialog.getByLabel('Element of an array').fill(element)
        await dialog.getByLabel('Element of an array').blur()
        await dialog.locator('form code', { hasText: address }).waitFor()
      }
      expect(await accessibilityFaults(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('The tags are saved.').waitFor()
      await soon(async () => (await readings(plant)).readings.oil_temperature)
      await page.getByText('3 h 0 min behind; not used').waitFor()
      const row = page.getByRole('row', { name: /Press 1/ }).last()
      await row.getByText('No faults').waitFor()
      await row.getByRole('button', { name: 'Edit Press 1' }).click()
      await dialog.getByLabel('Timestamps of readings').selectOption('Always those of the source')
      await dialog.getByLabel('Seconds that its clock may be off').fill('60')
      await dialog.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('3 h 0 min behind', { exact: true }).waitFor()
      expect((await plant.call('GET', 'ingest-sources'))[0].config).toMatchObject({
        timestamps: 'source',
        max_clock_offset_seconds: 60,
      })
      await row.getByRole('button', { name: 'Delete Press 1' }).click()
      await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByText('No sources').waitFor()
      expect(await plant.call('GET', 'ingest-sources')).toEqual([])
    } finally {
      await opcua.stop()
    }
  })

  it('a Modbus register is read in every type, and the value that the display shows becomes a tag', async () => {
    const data = Buffer.alloc(4)
    data.writeFloatBE(72.5)
    const holding = new Map([
      [100, data.readUInt16BE(0)],
      [101, data.readUInt16BE(2)],
    ])
    const image = { holding, input: new Map(), coil: new Map(), discrete: new Map() }
    const modbus = await startModbusServer('127.0.0.1', 0, new Map([[1, () => image]]))
    try {
      const plant = await newPlant(hub)
      await agentOf(plant, 'line-2')
      const { page, expected } = await browser.visit()
      await enter(page, hub, plant.email, '/agents/line-2')
      await page.getByRole('button', { name: 'Add a source' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Machine').fill('pump')
      await dialog.getByRole('option', { name: 'Cooling pump' }).click()
      await dialog.getByLabel('Name', { exact: true }).fill('Drive')
      await dialog.getByLabel('Protocol').selectOption('modbus')
      await dialog.getByLabel('Host').fill('not a host')
      await dialog.getByLabel('Port').fill(String(modbus.port))
      expected.push(/422 .*ingest-sources/)
      await dialog.getByRole('button', { name: 'Save, then choose tags' }).click()
      await dialog.getByText('is not a host name or address').first().waitFor()
      await dialog.getByLabel('Host').fill('127.0.0.1')
      await dialog.getByRole('button', { name: 'Save, then choose tags' }).click()
      await dialog.getByLabel('Address').fill('100')
      await soon(async () => {
        const [agent] = (await plant.call('GET', 'agent/fleet')).agents
        return agent.sources?.running_revision === agent.sources?.revision
      })
      await dialog.getByRole('button', { name: 'Read the register' }).click()
      await dialog.getByRole('button', { name: /^float32 ABCD 72\.5/ }).click()
      expect(await accessibilityFaults(page)).toEqual([])
      const unit = dialog.getByLabel('Unit of holding 100 float32 ABCD')
      await dialog.getByLabel('Metric of holding 100 float32 ABCD').fill('part_count')
      await unit.focus()
      await expect.poll(() => unit.inputValue()).toBe('count')
      await dialog.getByLabel('Metric of holding 100 float32 ABCD').fill('speed')
      await dialog.getByLabel('Unit of holding 100 float32 ABCD').fill('percent')
      await dialog.getByText('Rules for its values').click()
      await dialog.getByLabel('Invalid raw values').fill('32767; -9999')
      await dialog.getByLabel('Lowest reading').fill('200')
      await dialog.getByLabel('Highest reading').fill('120')
      await dialog.getByLabel('Texts and their numbers').fill('RUNNING = 1\nSTOPPED = 0')
      await dialog.getByText('4 rules for its values').waitFor()
      expect(await accessibilityFaults(page)).toEqual([])
      await dialog.getByRole('button', { name: 'Save', exact: true }).click()
      await dialog.getByText('must not be above max').waitFor()
      await dialog.getByLabel('Lowest reading').fill('')
      await dialog.getByRole('button', { name: 'Save', exact: true }).click()
      await page.getByText('The tags are saved.').waitFor()
      const [source] = await plant.call('GET', 'ingest-sources')
      expect(source.config).toEqual({
        agent_id: 'line-2',
        framing: 'tcp',
        unit_id: 1,
        registers: [
          {
            ...{
              table: 'holding',
              address: 100,
              data_type: 'float32',
              byte_order: 'ABCD',
              metric_name: 'speed',
              unit: 'percent',
            },
            ...{ invalid: [32_767, -9_999], max: 120, values: { RUNNING: 1, STOPPED: 0 } },
          },
        ],
      })
      const row = page.getByRole('row', { name: /Drive/ })
      await row.getByRole('button', { name: 'Edit Drive' }).click()
      await dialog.getByLabel('The agent polls this source').uncheck()
      await dialog.getByRole('button', { name: 'Save', exact: true }).click()
      await row.getByText('Paused').waitFor()
    } finally {
      await modbus.stop()
    }
  })

  it('an operator has metrics suggested for tags, corrects one and confirms the others together', async () => {
    const plant = await newPlant(hub)
    await plant.send(41, 'TT_101.PV', 'TT_101.PV')
    const operator = await plant.colleague('operator')
    const { page } = await browser.visit()
    await enter(page, hub, operator.email, `/machines/${plant.machineId}?tab=data`)
    await page.getByRole('button', { name: 'Suggest metrics' }).click()
    const dialog = page.getByRole('dialog')
    const tags = dialog.getByLabel('Tags')
    await expect.poll(() => tags.inputValue()).toBe('TT_101.PV')
    await tags.fill('TT_101.PV | oil temperature, celsius\nMotor_Speed_RPM\nXQ_77')
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Suggest for 3 tags' }).click()
    await page.getByText('3 suggestions to review.').waitFor()
    await page.getByLabel('Show').selectOption('open')
    expect(new URL(page.url()).searchParams.get('mappings')).toBe('open')
    await page.getByRole('button', { name: 'Edit the mapping of XQ_77' }).click()
    await dialog.getByLabel('Metric').fill('coolant_flow')
    await dialog.getByLabel('Unit').fill('m3/h')
    await dialog.getByRole('button', { name: 'Save and confirm' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByRole('row', { name: /XQ_77/ }).waitFor({ state: 'detached' })
    await page.getByLabel('Choose all on this page').check()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('button', { name: 'Confirm the chosen ones (2)' }).click()
    await page.getByText('2 mappings confirmed.').waitFor()
    await page.getByText('Nothing to review').waitFor()
    const stored = await plant.call('GET', `machines/${plant.machineId}/tag-mappings`)
    const brief = stored.map((it: Record<string, unknown>) => [it.raw_tag, it.standardized_name, it.is_confirmed])
    expect(brief).toEqual([
      ['Motor_Speed_RPM', 'speed', true],
      ['TT_101.PV', 'oil_temperature', true],
      ['XQ_77', 'coolant_flow', true],
    ])
  })

  it('an admin rolls out an update to chosen agents, reads why it stopped, and cancels it', async () => {
    const plant = await newPlant(hub)
    const beat = (agent_id: string, update: object = {}) => {
      const telemetry = { agent_id, agent_version: '0.1.0', update: { ...takesUpdates, ...update } }
      return call(hub.url, 'POST', 'agent/heartbeat', telemetry, { 'x-api-key': plant.key })
    }
    for (const name of ['hall-1', 'hall-2', 'hall-3', 'office']) await beat(name)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/agents?find=hall')
    await page.getByRole('link', { name: 'office' }).waitFor({ state: 'detached' })
    await page.getByRole('link', { name: 'hall-3' }).waitFor()
    await page.getByRole('button', { name: 'Roll out an update' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Version').selectOption('0.2.0')
    await dialog.getByText('First 1 agent, then 2.').waitFor()
    await dialog.getByLabel('Waves').fill('1, x')
    await dialog.getByText('Enter up to 20 whole numbers').waitFor()
    await dialog.getByLabel('Waves').fill('2')
    await dialog.getByText('First 2 agents, then 1.').waitFor()
    await dialog.getByLabel('Spread downloads').fill('0')
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Start the rollout' }).click()
    await page.getByRole('heading', { name: 'Rollout of 0.2.0' }).waitFor()
    const id = new URL(page.url()).pathname.split('/').at(-1) as string
    expect((await plant.call('GET', `agent/rollouts/${id}`)).agents.map((it: { agent_id: string }) => it.agent_id)).toEqual([
      'hall-1',
      'hall-2',
      'hall-3',
    ])

    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('No other agent begins.').waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('No other agent begins.').waitFor({ state: 'detached' })

    const report = { rollout_id: id, version: '0.2.0', at: hubs.clock.now().toISOString() }
    await beat('hall-1', { ...report, state: 'confirmed' })
    await beat('hall-2', {
      ...report,
      state: 'rolled_back',
      reason: 'within 10 minutes: collectors deliver nothing any more: press',
    })
    await page.getByText('The rollout stopped, because 1 agent failed.').waitFor()
    await page.getByRole('row', { name: /hall-2 .*Went back.*collectors deliver nothing any more: press/ }).waitFor()
    await page.getByText('1 of 3 agents updated').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('main').getByLabel('State').selectOption('pending')
    await page.getByRole('row', { name: /hall-3/ }).waitFor()
    await page.getByRole('row', { name: /hall-2/ }).waitFor({ state: 'detached' })

    await page.getByRole('button', { name: 'Cancel the rollout' }).click()
    await dialog.getByRole('button', { name: 'Cancel the rollout' }).click()
    await page.getByRole('button', { name: 'Resume' }).waitFor({ state: 'detached' })
    await page.getByText('Cancelled').first().waitFor()
    await page.goto(`${hub.url}/agents/hall-2`)
    await page.getByText('within 10 minutes: collectors deliver nothing').waitFor()
    await page.getByRole('button', { name: 'Update this agent' }).click()
    expect(await dialog.getByLabel('Agents').inputValue()).toBe('these')
    await page.keyboard.press('Escape')
    await page.goto(`${hub.url}/agents/updates`)
    await page.getByRole('row', { name: /0\.2\.0 .*Cancelled.*1 of 3 agents updated/ }).waitFor()
  })

  it('two admins press different buttons: the second one reads the current state of the rollout', async () => {
    const plant = await newPlant(hub)
    const telemetry = { agent_id: 'hall-1', agent_version: '0.1.0', update: takesUpdates }
    await call(hub.url, 'POST', 'agent/heartbeat', telemetry, { 'x-api-key': plant.key })
    const { id } = await plant.call('POST', 'agent/rollouts', { version: '0.2.0', all_agents: true })
    const { page, expected } = await browser.visit()
    expected.push(/409/)
    await enter(page, hub, plant.email, `/agents/updates/${id}`)
    await page.getByRole('button', { name: 'Pause' }).waitFor()
    await plant.call('POST', `agent/rollouts/${id}/cancel`)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('The rollout is cancelled.').waitFor()
    await page.getByRole('button', { name: 'Pause' }).waitFor({ state: 'detached' })
  })
})
