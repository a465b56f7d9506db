import { beforeAll, describe, expect, it } from 'vitest'
import type { RunningHub } from '../../src/hub.ts'
import { useRunningHubs } from '../running-hub.ts'
import { ensureRelease, takesUpdates } from '../support/agent-releases.ts'
import { accessibilityFaults, useBrowser } from './browser.ts'
import { call } from './call.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant } from './plant.ts'

const hubs = useRunningHubs()
let hub: RunningHub

describe.skipIf(noBrowser)('in a browser', () => {
  beforeAll(async () => {
    hub = await hubs.start()
    await ensureRelease(hubs.owner, '0.2.0', 7)
  })
  const browser = useBrowser(() => hub.url)

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

  it('two admins press different buttons: the second one is told how the rollout is', async () => {
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
