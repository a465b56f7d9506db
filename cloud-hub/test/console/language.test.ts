import { fault } from '@haltless/protocol'
import { describe, expect, it } from 'vitest'
import { accessibilityFaults, follow } from './browser.ts'
import { call } from './call.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant } from './plant.ts'
import { useConsole } from './use-console.ts'

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, browser } = useConsole()

  it('a person who switches to German reads the answer, the faults of an agent and the units in German', async () => {
    const plant = await newPlant(hub)
    const rejected = { count: 3, first_at: '2026-11-20T08:00:00Z', last_at: '2026-11-20T09:00:00Z' }
    const telemetry = {
      agent_id: 'hall-3',
      agent_version: '0.1.0',
      uptime_seconds: 60,
      buffer_count: 0,
      dead_letter_count: 6,
      dead_letters: [
        { code: 'timestamp_in_future', reason: 'timestamp is more than 5 minutes in the future', ...rejected },
        { code: 'unknown_machine', reason: 'there is no active machine with …', machine_identifier: 'press-9', ...rejected },
      ],
      collectors: {
        press: 'failing: no tag can be read: the server has no such node (BadNodeIdUnknown)',
        oven: 'reconnecting: connection refused',
        mill: 'failing: a driver of tomorrow says so',
      },
      collector_faults: {
        press: fault('no_readable_tag', { reason: fault('opcua_node_unknown', { status: 'BadNodeIdUnknown' }) }),
        oven: fault('connection_refused'),
      },
    }
    await call(hub.url, 'POST', 'agent/heartbeat', telemetry, { 'x-api-key': plant.key })
    const machine_identifier = plant.identifier
    const timestamp = new Date().toISOString()
    const readings = [
      { machine_identifier, metric_name: 'speed', value: 1_480, unit: 'rpm', timestamp },
      { machine_identifier, metric_name: 'flow', value: 12, unit: 'm3/h', timestamp },
    ]
    await call(hub.url, 'POST', 'ingest', { readings }, { 'x-api-key': plant.key })
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/settings')
    await page.getByLabel('Language and formats').selectOption({ label: 'Deutsch' })
    await page.getByRole('region', { name: 'Profile' }).getByRole('button', { name: 'Save' }).click()
    await page.getByRole('status').getByText('Gespeichert.').waitFor()
    expect(await page.getByText('Saved.').count()).toBe(0)

    await follow(page, '/agents/hall-3')
    await page
      .getByText('Störung: kein Tag lässt sich lesen: der Server hat diesen Knoten nicht (BadNodeIdUnknown)')
      .first()
      .waitFor()
    await page.getByText('verbindet neu: Verbindung abgelehnt').first().waitFor()
    await page.getByText('Störung: a driver of tomorrow says so').first().waitFor()
    await page.getByText('Der Zeitstempel liegt mehr als 5 Minuten in der Zukunft').waitFor()
    await page.getByText('Keine aktive Maschine hat die Kennung press-9').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await follow(page, `/machines/${plant.machineId}`)
    await page.getByText('1.480 U/min').first().waitFor()
    await page.getByText('12 m³/h').first().waitFor()
  })

  it('a person who reads German learns in German why a channel failed', async () => {
    const plant = await newPlant(hub)
    const config = { url: 'https://hooks.invalid/alerts' }
    await plant.call('POST', 'notification-channels', { name: 'Werkzeug', channel_type: 'webhook', config })
    const { page } = await browser.visit({ locale: 'de-DE' })
    await enter(page, hub, plant.email, '/rules?tab=channels')
    await page.getByRole('button', { name: 'Testen' }).click()
    await page.getByText('Der Test ist fehlgeschlagen: Der Name hooks.invalid lässt sich nicht auflösen.').waitFor()
    await page.getByRole('button', { name: 'Zustellungen' }).click()
    await page.getByRole('cell', { name: 'Der Name hooks.invalid lässt sich nicht auflösen.' }).waitFor()
  })

  it('a form in German words a refused value by its code, and one with an unknown code as the hub does', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit({ locale: 'de-DE' })
    expected.push(/422/)
    await enter(page, hub, plant.email, '/settings')
    const profile = page.getByRole('region', { name: 'Profil' })
    await profile.getByLabel('Telefon (optional)').fill('keine Nummer')
    await profile.getByRole('button', { name: 'Speichern' }).click()
    await profile.getByText('Das muss eine Telefonnummer wie +4915112345678 sein.', { exact: true }).waitFor()

    await page.route('**/api/v1/settings/profile', async (route) => {
      const [message, params] = ['must be a number of tomorrow', { limit: 1 }]
      const errors = [{ path: 'body.phone', message, code: 'code_of_tomorrow', params }]
      const problem = { title: 'Unprocessable', status: 422, detail: message, code: 'validation_failed', request_id: '1', errors }
      await route.fulfill({ status: 422, contentType: 'application/problem+json', body: JSON.stringify(problem) })
    })
    await profile.getByRole('button', { name: 'Speichern' }).click()
    await profile.getByText('must be a number of tomorrow').first().waitFor()
  })
})
