import { describe, expect, it } from 'vitest'
import { noBrowser } from './chromium.ts'
import { enter, newPlant } from './plant.ts'
import { useConsole } from './use-console.ts'

const problem = (status: number, code: string, seconds?: number) => ({
  status,
  headers: {
    'content-type': 'application/problem+json',
    ...(seconds === undefined ? {} : { 'retry-after': String(seconds) }),
  },
  body: JSON.stringify({ type: 'about:blank', title: code, status, code, detail: code, request_id: 'r', retry_after: seconds }),
})

describe.skipIf(noBrowser)('in a browser', () => {
  const { hub, browser } = useConsole()

  it('a page that the hub limits says how long it waits, keeps its frame, and goes on by itself', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/429 .*\/machines/)
    let isFull = true
    const asked: number[] = []
    await page.route(/\/api\/v1\/machines\?/, async (route) => {
      asked.push(Date.now())
      await (isFull ? route.fulfill(problem(429, 'rate_limited', 3)) : route.continue())
    })
    await enter(page, hub, plant.email, '/machines')
    await page.getByText(/The hub has too much to do at the moment; the page goes on by itself in \d seconds?\./).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).first().waitFor()
    await expect.poll(() => asked.length).toBe(1)
    isFull = false
    await page.getByRole('link', { name: 'Cooling pump' }).waitFor()
    await page.getByText(/The hub has too much to do/).waitFor({ state: 'detached' })
    expect((asked[1] as number) - (asked[0] as number)).toBeGreaterThanOrEqual(3_000)
  })

  it('a change that a busy hub has not made is sent again; one whose outcome is unknown is not', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/503 .*\/work-orders/)
    let sent = 0
    let code = 'hub_busy'
    await page.route('**/api/v1/work-orders', async (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      sent++
      await (sent === 1 ? route.fulfill(problem(503, code, 1)) : route.continue())
    })
    await enter(page, hub, plant.email, `/machines/${plant.machineId}?tab=work`)
    const fill = async (title: string) => {
      await page.getByRole('button', { name: 'Create a work order' }).click()
      await page.getByRole('dialog').getByLabel('Title').fill(title)
      await page.getByRole('dialog').getByRole('button', { name: 'Create a work order' }).click()
    }
    await fill('Bearing')
    await page.getByRole('heading', { name: 'Bearing' }).waitFor()
    expect(sent).toBe(2)
    sent = 0
    code = 'request_timeout'
    await page.goto(`${hub.url}/machines/${plant.machineId}?tab=work`)
    await fill('Belt')
    await page.getByRole('dialog').getByRole('alert').waitFor()
    expect(sent).toBe(1)
    expect(await page.getByRole('dialog').getByLabel('Title').inputValue()).toBe('Belt')
  })

  it('a change that waits for its turn is given up with "Cancel": it is not made later, and the dialog says so', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/429 .*\/work-orders/)
    let sent = 0
    await page.route('**/api/v1/work-orders', (route) => {
      if (route.request().method() !== 'POST') return route.continue()
      sent++
      return route.fulfill(problem(429, 'rate_limited', 3))
    })
    await enter(page, hub, plant.email, `/machines/${plant.machineId}?tab=work`)
    await page.getByRole('button', { name: 'Create a work order' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title').fill('Bearing')
    await dialog.getByRole('button', { name: 'Create a work order' }).click()
    await page.getByText(/The hub has too much to do/).waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Go on with it' }).click()
    await dialog.getByRole('alert').waitFor()
    await page.getByText(/The hub has too much to do/).waitFor({ state: 'detached' })
    expect(await dialog.getByLabel('Title').inputValue()).toBe('Bearing')
    // the next one waits as well, for what is left of the pause
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click()
    await dialog.waitFor({ state: 'detached' })
    await new Promise((resolve) => setTimeout(resolve, 5_000))
    expect(sent).toBe(1)
  })

  it.each([429, 500, 503])(
    'who is signed in is unknown after %i: the navigation stays, and the page comes when the hub says it',
    async (status) => {
      const plant = await newPlant(hub)
      const { page, expected } = await browser.visit()
      expected.push(new RegExp(`${status} .*/bootstrap`))
      let isAway = true
      // the wait of a 429 is longer than the console waits by itself
      await page.route('**/api/v1/bootstrap*', (route) =>
        isAway ? route.fulfill(problem(status, status === 500 ? 'internal_error' : 'rate_limited', 100)) : route.continue(),
      )
      const entered = enter(page, hub, plant.email, '/alerts')
      const menu = page.getByRole('navigation', { name: 'Main' }).first()
      await page.getByRole('alert').waitFor()
      await menu.getByRole('link', { name: 'Machines' }).waitFor()
      isAway = false
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('heading', { name: 'Alerts', level: 1 }).waitFor()
      await entered
    },
  )

  it('an address that no page has keeps the navigation', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await enter(page, hub, plant.email, '/no/such/page')
    await page.getByRole('heading', { name: 'This page does not exist' }).waitFor()
    await page.getByRole('navigation', { name: 'Main' }).first().getByRole('link', { name: 'Machines' }).click()
    await page.getByRole('heading', { name: 'Machines', level: 1 }).waitFor()
  })

  it('what was loaded stays when it cannot be loaded again, with its time and a way to try again', async () => {
    const plant = await newPlant(hub)
    const { page, expected } = await browser.visit()
    expected.push(/500 .*\/comments/)
    const { id } = await plant.call('POST', 'work-orders', { machine_id: plant.machineId, title: 'Bearing' })
    await plant.call('POST', `work-orders/${id}/comments`, { body: 'It is loud.' })
    await enter(page, hub, plant.email, `/work-orders/${id}`)
    await page.getByText('It is loud.').waitFor()
    let isFailing = true
    await page.route('**/comments', (route) => (isFailing ? route.fulfill(problem(500, 'internal_error')) : route.continue()))
    await page.getByText(/^As of \d\d:\d\d:\d\d\./).waitFor()
    await page.getByText('It is loud.').waitFor()
    isFailing = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByText(/^As of/).waitFor({ state: 'detached' })
  })

  it('a start whose script is lost says what to do, in English and German', async () => {
    const { page, expected } = await browser.visit()
    expected.push(/ERR_FAILED.*start-/)
    await page.route(/\/assets\/start-.*\.js/, (route) => route.abort())
    await page.goto(hub.url)
    await page.getByText('The console is not loading').waitFor()
    expect(await page.getByText('Die Konsole lädt nicht').isVisible()).toBe(true)
  })

  it('a browser that refuses storage signs in and works', async () => {
    const plant = await newPlant(hub)
    const { page } = await browser.visit()
    await page.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
      Object.defineProperty(window, name, { get() { throw new DOMException('refused', 'SecurityError') } })`)
    await page.goto(`${hub.url}/work-orders`)
    await page.getByLabel('E-mail address').fill(plant.email)
    await page.getByLabel('Password', { exact: true }).fill('Correct-horse-7')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Work', level: 1 }).waitFor()
    await page.getByRole('button', { name: 'Create a work order' }).click()
    await page.getByRole('dialog').getByLabel('Title').fill('Bearing')
    await page.keyboard.press('Escape')
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })
})
