import { describe, expect, it } from 'vitest'
import { accessibilityFaults } from './browser.ts'
import { call } from './call.ts'
import { noBrowser } from './chromium.ts'
import { enter, newPlant } from './plant.ts'
import { useConsole } from './use-console.ts'

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, browser } = useConsole()
  const get = (token: string, path: string) => call(hub.url, 'GET', path, undefined, { authorization: `Bearer ${token}` })

  it('a person makes a token, which is shown once and opens what was ticked, and revokes it', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/422.*\/tokens/)
    await enter(page, hub, plant.email, '/settings')
    await page.getByRole('button', { name: 'Create a token' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('What it is for').fill('Night export')
    await dialog.getByRole('button', { name: 'Create a token' }).click()
    await dialog.getByText('Choose at least one thing').waitFor()
    await dialog.getByLabel('Machines and groups: read').check()
    await dialog.getByLabel('Only from these addresses').fill('everywhere')
    await dialog.getByRole('button', { name: 'Create a token' }).click()
    await dialog.getByText('This is neither an address nor a range', { exact: false }).last().waitFor()
    await dialog.getByLabel('Only from these addresses').fill('127.0.0.1\n::1')
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Create a token' }).click()
    const token = (await dialog.locator('code', { hasText: 'ht_' }).textContent()) as string
    expect(token).toMatch(/^ht_/)
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Done' }).click()
    expect((await get(token, 'machines')).items).toHaveLength(1)
    await expect(get(token, 'alerts')).rejects.toThrow(/token_scope_missing/)
    await page.reload()
    await page.getByRole('row', { name: /Night export/ }).waitFor()
    expect(await page.getByText(token).count()).toBe(0)
    await page.getByRole('button', { name: 'Revoke the token Night export' }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await page
      .getByRole('row', { name: /Night export/ })
      .getByText('Revoked')
      .waitFor()
    await expect(get(token, 'machines')).rejects.toThrow(/token_revoked/)
  })

  it('what the role of a service account does not have cannot be ticked, with the reason, and what a person has can', async () => {
    const plant = await newPlant(hub)
    for (const role of ['viewer', 'operator', 'admin'])
      await call(
        hub.url,
        'POST',
        'service-accounts',
        { name: `MES as ${role}`, role },
        { authorization: `Bearer ${plant.token}` },
      )
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/settings?tab=keys')
    const dialog = page.getByRole('dialog')
    for (const [role, closed] of [
      [
        'viewer',
        { 'Machines and groups: change': 'Needs the role Operator', 'Audit trail: read': 'Needs the role Administrator' },
      ],
      ['operator', { 'Audit trail: read': 'Needs the role Administrator' }],
      ['admin', {}],
    ] as const) {
      await page.getByRole('button', { name: `New token for MES as ${role}` }).click()
      expect(await dialog.getByLabel('Work orders and maintenance: change').isEnabled()).toBe(true)
      for (const name of ['Machines and groups: change', 'Audit trail: read'] as const) {
        const box = dialog.getByRole('checkbox', { name })
        const reason = (closed as Record<string, string>)[name]
        await expect.poll(() => box.isDisabled()).toBe(reason !== undefined)
        if (reason) expect(await box.evaluate((it) => it.ariaDescribedByElements?.[0]?.textContent)).toBe(reason)
      }
      expect(await accessibilityFaults(page)).toEqual([])
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'hidden' })
    }
    await page.getByRole('link', { name: 'Personal' }).click()
    await page.getByRole('button', { name: 'Create a token' }).click()
    expect(await dialog.getByRole('checkbox', { disabled: true }).count()).toBe(0)
  })

  it('an admin makes a service account with a token, finds it among members and in the audit trail, and stops it', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/settings?tab=keys')
    const dialog = page.getByRole('dialog')
    await page.getByRole('button', { name: 'Add a service account' }).click()
    await dialog.getByLabel('Name of the program').fill('MES')
    await dialog.getByLabel('Role').selectOption('operator')
    expect(await accessibilityFaults(page)).toEqual([])
    await dialog.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('button', { name: 'New token for MES' }).click()
    await dialog.getByLabel('What it is for').fill('Orders')
    await dialog.getByLabel('Machines and groups: read').check()
    await dialog.getByLabel('Work orders and maintenance: change').check()
    await dialog.getByRole('button', { name: 'Create a token' }).click()
    const token = (await dialog.locator('code', { hasText: 'ht_' }).textContent()) as string
    await dialog.getByRole('button', { name: 'Done' }).click()
    const order = { machine_id: plant.machineId, title: 'Bearing' }
    await call(hub.url, 'POST', 'work-orders', order, { authorization: `Bearer ${token}` })
    const row = page.getByRole('table', { name: 'Access tokens of all members' }).getByRole('row', { name: /Orders/ })
    await row.getByText('Service account').waitFor()
    expect(await accessibilityFaults(page)).toEqual([])
    await page.getByRole('link', { name: 'Members and roles' }).click()
    await page.getByRole('row', { name: /MES/ }).getByText('Service account').waitFor()
    await page.getByRole('link', { name: 'Audit trail' }).click()
    await page.locator('summary').filter({ hasText: 'Bearing' }).getByText('MES', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Keys and tokens' }).click()
    await page.getByRole('button', { name: 'Deactivate MES' }).click()
    await dialog.getByRole('button', { name: 'Deactivate', exact: true }).click()
    await page.getByRole('button', { name: 'Activate', exact: true }).waitFor()
    await expect(get(token, 'machines')).rejects.toThrow(/token_owner_inactive/)
  })
})
