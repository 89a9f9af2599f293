// The server stops and restarts at the same address while the page is open.
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { chips, counted, expect, test, useDashboard } from './fixtures'
import { little, write } from './results'

const ROWS = 30
const dashboard = useDashboard((store) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  for (let i = 1; i <= ROWS; i++) write(folder, `${i}.json`, little(i))
  store.import(folder)
})

test('the page finds a restarted server, retries what failed, and shows no count of another filter', async ({
  page,
  complaints,
}) => {
  complaints.allow.push(/Failed to load resource/)
  const away = page.locator('[data-away]')
  await page.goto(`${dashboard().url}/?results.p99_ttft_ms=..10`)
  await expect(counted(page)).toHaveText(`10 of ${ROWS} experiments`)
  await dashboard().stop('SIGKILL')
  await page.getByRole('button', { name: 'Clear all' }).click()
  await expect(chips(page)).toHaveCount(0)
  await expect(counted(page)).toHaveText(`10 of ${ROWS} experiments with the previous filter`)
  await expect(away).toHaveText(/^Showing data from \d\d:\d\d UTC\. The server does not respond\. Retrying…/)
  // fields that appear meanwhile have no counts and offer Retry
  const filters = page.getByRole('complementary', { name: 'Filters' })
  await filters.getByText('Only fields that vary').click()
  await expect(filters.getByRole('button', { name: /^Retry / }).first()).toBeVisible()
  // one notice; the rows and the chart stay
  await expect(page.getByRole('alert')).toHaveCount(0)
  await expect(page.getByRole('rowheader')).not.toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Chart' })).not.toContainText('Could not load the chart.')
  // a part whose script and styles were not loaded yet waits for the server
  await page.getByRole('link', { name: 'Upload' }).click()
  await expect(away).toBeVisible()
  await dashboard().start()
  await expect(page.getByRole('heading', { name: 'Upload', exact: true })).toBeVisible()
  await expect(away).toHaveCount(0)
  await expect
    .poll(() =>
      page.evaluate(
        () => [...document.styleSheets].length === document.querySelectorAll('link[rel="stylesheet"]').length,
      ),
    )
    .toBe(true)
  await page.goBack()
  await expect(counted(page)).toHaveText(`${ROWS} of ${ROWS} experiments`)

  // pages that open without a server report it, and load after it restarts
  for (const [path, heading] of [
    ['/experiments/1', /run_001/],
    ['/sweeps', /Sweeps/],
    ['/compare?side=1&side=2', /2 experiments/],
  ] as const) {
    await page.goto(`${dashboard().url}/`)
    await expect(counted(page)).toHaveText(`${ROWS} of ${ROWS} experiments`)
    await page.route('**/api/**', (route) => route.abort())
    await page.evaluate((to) => {
      history.pushState({}, '', to)
      dispatchEvent(new PopStateEvent('popstate'))
    }, path)
    await expect(page.getByRole('alert').filter({ hasText: 'does not respond' }).first()).toBeVisible()
    await expect(away).toBeVisible()
    await page.unroute('**/api/**')
    await expect(page.getByRole('heading', { level: 1, name: heading })).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)
    await expect(away).toHaveCount(0)
  }
})

test('a build that the server no longer has is reloaded once', async ({ page, complaints }) => {
  complaints.allow.push(/Failed to load resource/)
  await page.goto(dashboard().url)
  await expect(counted(page)).toHaveText(`${ROWS} of ${ROWS} experiments`)
  let loads = 0
  page.on('load', () => {
    loads += 1
  })
  // another build: its first script has another name, and parts of this one are missing
  await page.route('**/assets/upload-*', (route) => route.fulfill({ status: 404, body: '' }))
  const html = (await (await page.request.get(dashboard().url)).text()).replace(
    /assets\/index-[^".]+\.js/,
    'assets/index-other.js',
  )
  await page.route(
    (url) => ['/', '/upload'].includes(url.pathname),
    (route) => route.fulfill({ contentType: 'text/html', body: html }),
  )
  await page.route('**/assets/index-other.js', (route) =>
    route.fulfill({ status: 200, contentType: 'text/javascript', body: 'document.title = "another build"' }),
  )
  await page.getByRole('link', { name: 'Upload' }).click()
  await expect(page).toHaveTitle('another build')
  expect(loads).toBe(1)
})

test('a part whose style sheet is slow, or fails at first, is shown with its styles', async ({ page, complaints }) => {
  complaints.allow.push(/Failed to load resource/)
  const chart = page.getByRole('region', { name: 'Chart', exact: true })
  const isStyled = () => chart.evaluate((element) => getComputedStyle(element).flexDirection === 'column')
  // it arrives after the rows, while the chart is loading
  let letStyle = () => {}
  const held = new Promise<void>((resolve) => {
    letStyle = resolve
  })
  await page.route('**/assets/panel-*.css', async (route) => {
    await held
    await route.continue()
  })
  await page.goto(dashboard().url, { waitUntil: 'commit' })
  await expect(page.getByRole('rowheader').first()).toBeVisible()
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(resolve))
      }),
  )
  letStyle()
  await expect(chart).toBeVisible()
  expect(await isStyled()).toBe(true)
  await page.unroute('**/assets/panel-*.css')
  let tries = 0
  await page.route('**/assets/panel-*.css', (route) => (++tries <= 2 ? route.abort() : route.continue()))
  await page.reload()
  await expect(chart).toBeVisible()
  await expect.poll(isStyled).toBe(true)
  expect(tries).toBeGreaterThan(2)
})
