// Pareto: which configuration to deploy. Repeated results of 24 configurations are read, limited, compared and followed
// back in time, with the keyboard alone where a user would.
import type { Page } from '@playwright/test'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, soundness, test, useDashboard } from './fixtures'
import { frontiers, NEW, OLD } from './frontiers'
import { read, write } from './results'

const USER = 'derived.tokens_per_s_per_user'

const dashboard = useDashboard((store, own) => {
  const files = mkdtempSync(join(store.folder, 'files-'))
  for (const [at, document] of frontiers(read(own)).entries()) write(files, `${at}.json`, document)
  store.import(files)
})

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const plot = (page: Page) => region(page, 'Chart').getByRole('slider', { name: /the table has the values/ })
const card = (page: Page) => region(page, 'Configuration')

async function open(page: Page, query = '') {
  await page.goto(`${dashboard().url}/pareto?${query}`)
  await expect(plot(page).or(region(page, 'Configurations table'))).toBeVisible()
  await expect(region(page, 'Chart')).not.toHaveAttribute('aria-busy', 'true')
}

test('the frontier of each GPU, a configuration by keyboard, its command and a comparison', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(page)
  await expect(page).toHaveTitle('Pareto · ProfLLM')
  await expect(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Pareto' })).toHaveAttribute(
    'aria-current',
    'page',
  )
  await expect(page.getByRole('main')).toContainText('96 of 96 experiments')
  await expect(page.getByRole('main')).toContainText('24 configurations')
  // the second release is 12 % faster: of each GPU and load, it alone is on the frontier
  await expect(page.getByRole('main')).toContainText('12 on a frontier')
  await expect(page.locator('[data-frontier]')).toHaveCount(3)
  await expect(page.locator('[data-membership=not]')).toHaveCount(12)
  expect(await soundness(page)).toEqual([])

  // the arrow keys read the points, Enter opens one
  await plot(page).focus()
  await page.keyboard.press('Home')
  await expect(plot(page)).toHaveAttribute(
    'aria-valuetext',
    /tok\/s.*surely on the frontier, in 100 % of resamples.*4 runs$/,
  )
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(/[?&]point=\d+$/)
  await expect(card(page)).toContainText('Chosen configuration')
  await expect(card(page)).toContainText('4 runs')
  await card(page)
    .getByRole('button', { name: /^surely on the frontier.*definition$/ })
    .press('Enter')
  await expect(page.getByRole('dialog', { name: 'Membership' })).toContainText('1,000 resamples')
  await page.keyboard.press('Escape')

  // its server
  await expect(card(page).getByRole('region', { name: 'Server command' })).toContainText('serve')
  await card(page)
    .getByRole('button', { name: /^Copy command/ })
    .click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /^vllm serve meta-llama\/Llama-3\.1-70B-Instruct/,
  )

  // j and k walk through the configurations, and the address is the state
  const first = page.url()
  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('j')
  await expect(page).not.toHaveURL(first)
  await page.keyboard.press('k')
  await expect(page).toHaveURL(first)
  await page.reload()
  await expect(card(page)).toContainText('Chosen configuration')

  // to its pin, the comparison and the experiment
  await card(page)
    .getByRole('button', { name: /^Pin to compare/ })
    .click()
  await expect(page.locator('[data-strong]', { hasText: /^A$/ })).toBeVisible()
  await card(page)
    .getByRole('link', { name: /^Compare with/ })
    .click()
  await expect(page).toHaveURL(/\/compare\?side=/)
  await expect(page.getByRole('region', { name: 'Metrics', exact: true })).toBeVisible()
  await page.goBack()
  await card(page).getByRole('heading', { level: 2 }).getByRole('link').click()
  await expect(page).toHaveURL(/\/experiments\/\d+$/)
})

test('limits are typed, dragged and moved by keys, and shade what keeps them', async ({ page }) => {
  await open(page)
  const limits = region(page, 'Limits')
  await expect(limits.getByRole('status')).toHaveText('No limits: all configurations count.')
  const add = async (words: string, name: RegExp) => {
    await limits.getByRole('button', { name: /add/ }).click()
    await page.getByRole('dialog', { name: 'Add a limit' }).getByRole('combobox').fill(words)
    await page.getByRole('option', { name }).first().click()
  }
  // of a drawn metric, it begins at the median
  await add('tokens per s per user', /per user/i)
  await expect(page).toHaveURL(new RegExp(`limits=${USER}%3E%3D\\d+`))
  const handle = page.getByRole('slider', { name: /^Limit of/ })
  await expect(handle).toBeVisible()
  await expect(page.locator('[data-feasible]')).toHaveCount(1)
  const before = Number(await handle.getAttribute('aria-valuenow'))
  await handle.focus()
  await page.keyboard.press('Shift+ArrowRight')
  await expect(handle).toHaveAttribute('aria-valuenow', String(Number((before * 1.1).toPrecision(3))))
  const summary = limits.getByRole('status')
  await expect(summary).toHaveText(/^\d+ of 24 configurations keep all limits\.$/)

  // dragged: the count follows at once, and the address when it is dropped
  const box = await handle.boundingBox()
  const area = await plot(page).boundingBox()
  if (!box || !area) throw new Error('the plot has no box')
  const url = page.url()
  await page.mouse.move(box.x + 12, box.y + 12)
  await page.mouse.down()
  await page.mouse.move(area.x + 60, box.y + 12, { steps: 5 })
  await expect(summary).toHaveText(/^24 of 24 /)
  expect(page.url()).toBe(url)
  await page.mouse.up()
  await expect(page).not.toHaveURL(url)

  // of another field, it is typed, and the server counts
  await add('p99 ttft', /^P99 TTFT/)
  const typed = limits.getByRole('textbox', { name: 'P99 TTFT at most' })
  await expect(typed).toBeFocused()
  await typed.fill('0.2 s')
  await typed.press('Enter')
  await expect(page).toHaveURL(/results\.p99_ttft_ms%3C%3D200/)
  await expect(summary).toHaveText(/^1\d of 24 /)
  await expect(typed).toBeFocused()
  await typed.press('Enter') // keeps the limit
  await expect(typed).toHaveValue('200')
  await expect(card(page)).toContainText('Best within all limits')
  await expect(card(page)).toContainText('headroom')
  await expect(card(page).getByRole('img', { name: /^[\d.]+ of 200 ms$/ })).toBeVisible()
  // next to the plot, a second one has this metric, and its limit moves there
  const other = region(page, 'Chart').getByRole('slider', { name: /over P99 TTFT, a limit$/ })
  await expect(other).toHaveAttribute('aria-valuemax', '23')
  const ttft = page.getByRole('slider', { name: 'Limit of P99 TTFT' })
  await ttft.focus()
  await page.keyboard.press('Shift+ArrowRight')
  await expect(typed).toHaveValue('220')
  await expect(page).toHaveURL(/results\.p99_ttft_ms%3C%3D220/)
  await other.focus()
  await page.keyboard.press('Home')
  await expect(other).toHaveAttribute('aria-valuetext', /P99 TTFT [\d.]+ ms/)
  await expect(page.getByRole('region', { name: 'Frontiers table' })).toContainText(/at .*per user/i)
  expect(await soundness(page)).toEqual([])

  // a number that cannot be read is refused
  await typed.fill('fast')
  await expect(limits.getByRole('alert')).toBeVisible()
  await page.keyboard.press('Escape')
  await limits.getByRole('button', { name: 'Remove the limit of P99 TTFT' }).click()
  await expect(page).not.toHaveURL(/ttft/)
})

test('the frontier as of a release, and what has entered since', async ({ page }) => {
  await open(page)
  const history = region(page, 'History')
  await history.getByText('Release', { exact: true }).click()
  await expect(page).toHaveURL(new RegExp(`release=${OLD}`))
  await expect(history).toContainText(`release ${OLD}; since then 12 configurations entered and 12 left.`)
  await expect(page.locator('[data-earlier]')).toHaveCount(3)
  await expect(page.getByRole('main')).toContainText('48 of 96 experiments')
  const slider = history.getByRole('slider')
  await slider.focus()
  await page.keyboard.press('End')
  await expect(page).not.toHaveURL(/release/)
  await expect(slider).toHaveAttribute('aria-valuetext', 'now')
  await history.getByText('Day', { exact: true }).click()
  await page.keyboard.press('Tab')
  await slider.focus()
  await page.keyboard.press('Home')
  await expect(slider).toHaveAttribute('aria-valuetext', 'the end of 2026-09-01')
  await expect(page).toHaveURL(/until=2026-09-01/)
  await page.getByRole('button', { name: 'Show now' }).click()
  await expect(page.getByRole('main')).toContainText('96 of 96 experiments')
})

test('a facet lists only the most frequent releases, the history has all', async ({ page }) => {
  const VERSION = 'environment.engine.version'
  await page.route('**/api/filters/apply', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { facets?: Record<string, { values: unknown[]; more_count: number }> }
    const facet = body.facets?.[VERSION]
    if (facet)
      body.facets = { ...body.facets, [VERSION]: { ...facet, values: [{ value: NEW, count: 48 }], more_count: 1 } }
    await route.fulfill({ response, json: body })
  })
  await open(page, `release=${OLD}`)
  await expect(region(page, 'History')).toContainText(
    `release ${OLD}; since then 12 configurations entered and 12 left.`,
  )
})

test('long names of groups do not widen the page', async ({ page }) => {
  const long = `<b>${'W'.repeat(300)}`
  await page.route('**/api/analysis/pareto', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { groups: { key: Record<string, string> }[] }
    for (const [at, { key }] of body.groups.entries()) for (const id of Object.keys(key)) key[id] = `${long}${at}`
    await route.fulfill({ response, json: body })
  })
  await open(page)
  await expect(region(page, 'Chart').getByTitle(`${long}0`)).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
})

test('the count of limits says what is not known, and an error of the server is shown', async ({
  page,
  complaints,
}) => {
  complaints.allow.push(/500/)
  const failed = { type: 'about:blank', title: 'Failed', status: 500, detail: 'no memory' }
  await page.route('**/api/analysis/slo', (route) => route.fulfill({ status: 500, json: failed }))
  await open(page, 'limits=results.p99_ttft_ms<=200')
  await expect(page.getByRole('alert')).toContainText('No memory')
  const summary = region(page, 'Limits').getByRole('status')
  await expect(summary).toHaveText('0 of 24 configurations keep all limits; 24 unknown.')
  await page.unroute('**/api/analysis/slo')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(summary).toHaveText(/^1\d of 24 configurations keep all limits\.$/)
})

test('a load is typed, and the GPUs for it are counted by hand', async ({ page }) => {
  await open(page, 'environment.engine.version=0.32.0')
  const capacity = region(page, 'Capacity')
  const summary = capacity.getByRole('status')
  await expect(summary).toHaveText('Enter a load to count the GPUs.')
  const load = capacity.getByRole('textbox', { name: 'Load to serve in req/s' })
  await load.fill('none')
  await expect(capacity.getByRole('alert')).toHaveText('Enter a number.')
  await load.fill('0')
  await expect(capacity.getByRole('alert')).toHaveText('Enter a number above 0.')
  await load.fill('900')
  await load.press('Enter')
  await expect(page).toHaveURL(/[?&]load=900$/)
  await expect(summary).toContainText('900 req/s and a margin of 20 % need')

  // every row: load with its margin / rate, rounded up, times 4 GPUs
  const margin = capacity.getByRole('textbox', { name: 'Margin in %' })
  await margin.fill('50')
  await margin.press('Enter')
  await expect(page).toHaveURL(/margin=50/)
  const rows = region(page, 'Capacity table').getByRole('row')
  await expect(rows).toHaveCount(1 + 12)
  const [, ...texts] = await Promise.all((await rows.all()).map((row) => row.getByRole('cell').allInnerTexts()))
  const { rows: stored } = await (
    await page.request.post(`${dashboard().url}/api/filters/apply`, {
      data: { columns: ['results.request_throughput'], limit: 1 },
    })
  ).json()
  const servers = Math.ceil((900 * 1.5) / stored[0].cells['results.request_throughput'])
  for (const cells of texts) {
    expect(cells[4]).toBe(servers.toLocaleString('en'))
    expect(cells[5]?.split('\n')[0]).toBe((servers * 4).toLocaleString('en'))
  }
  await capacity
    .getByRole('button', { name: /GPUs for the load: definition$/ })
    .first()
    .press('Enter')
  await expect(page.getByRole('dialog', { name: 'GPUs for the load' })).toContainText('900 × 1.5 / ')
  await page.keyboard.press('Escape')
  expect(await soundness(page)).toEqual([])

  // the limits apply, and the address is the state
  await page.goto(`${page.url()}&limits=results.p99_ttft_ms<=150`)
  await expect(rows).toHaveCount(1 + 6)
  await page.goto(page.url().replace('150', '1'))
  await expect(summary).toHaveText('No configuration with a known rate keeps all limits.')
})

test('the table, other metrics and directions, one frontier and files', async ({ page }) => {
  await open(page)
  await page.keyboard.press('t')
  const table = region(page, 'Configurations table')
  await expect(table.getByRole('row')).toHaveCount(25)
  await expect(table.getByRole('row', { name: /surely/ })).toHaveCount(12)
  await page
    .getByRole('button', { name: 'Frontier per value of' })
    .or(page.getByRole('button', { name: /^group/ }))
    .click()
  await page.getByRole('option', { name: 'none' }).click()
  await expect(page).toHaveURL(/group=none/)
  await expect(region(page, 'Frontiers table').getByRole('row')).toHaveCount(2)
  await page.keyboard.press('t')
  await expect(page.locator('[data-frontier]')).toHaveCount(1)
  const x = page.getByRole('combobox', { name: 'Better values of axis x' })
  await x.selectOption('lower')
  await expect(page).toHaveURL(new RegExp(`metrics=-${USER},`))
  await expect(page.locator('[data-frontier]')).toHaveCount(1)
  await x.selectOption('higher')
  await expect(page).not.toHaveURL(/metrics/)

  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'CSV' }).click()
  const lines = readFileSync(await (await saved).path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  expect(lines).toHaveLength(3 + 24)
  expect(lines[2]).toContain(`${USER},${USER} low,${USER} high`)
})

test('a filter of Explore comes along, and a failed update keeps the last frontiers', async ({ page, complaints }) => {
  complaints.allow.push(/500/)
  await page.goto(`${dashboard().url}/?environment.engine.version=${NEW}`)
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Pareto' }).click()
  await expect(page.getByRole('main')).toContainText('48 of 96 experiments')
  await expect(page.getByRole('link', { name: 'Change filter in Explore' })).toHaveAttribute(
    'href',
    new RegExp(`environment.engine.version=${NEW}`),
  )
  await page.route('**/api/analysis/pareto', (route) =>
    route.fulfill({ status: 500, json: { type: 'about:blank', title: 'Failed', status: 500, detail: 'no memory' } }),
  )
  await page.getByRole('button', { name: 'Clear filter' }).click()
  await expect(page.getByRole('alert')).toContainText('Could not update the frontiers.')
  await expect(page.locator('[data-frontier]')).toHaveCount(3)
  await page.unroute('**/api/analysis/pareto')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(page.getByRole('main')).toContainText('96 of 96 experiments')
})

test('a value of another order of size does not widen the axes', async ({ page }) => {
  await page.route('**/api/analysis/pareto', async (route) => {
    const response = await route.fetch()
    const body = (await response.json()) as { groups: { points: { values: { mean: number }[] }[] }[] }
    const value = body.groups[0]?.points.at(-1)?.values[0]
    if (value) value.mean = 1e308
    await route.fulfill({ response, json: body })
  })
  await open(page)
  const chart = region(page, 'Chart')
  await expect(chart).toContainText('outside the axes, by far larger than most: 1 configuration')
  await expect(page.locator('[data-point]')).toHaveCount(23)
  const marks = await page
    .locator('[data-point]')
    .evaluateAll((all) => all.map((mark) => mark.getBoundingClientRect().left))
  expect(Math.max(...marks) - Math.min(...marks)).toBeGreaterThan(200)
  await chart.getByRole('button', { name: 'Show the table' }).click()
  await expect(region(page, 'Configurations table').getByRole('row')).toHaveCount(25)
})

const [PRICES, COST] = ['/api/prices', 'derived.cost_per_million_output_tokens']
const put = (data: object) =>
  fetch(`${dashboard().url}${PRICES}`, {
    method: 'PUT',
    body: JSON.stringify(data),
    headers: { 'Content-Type': 'application/json' },
  })

test('prices are entered, imported and shown as the source of the cheapest, and costs are metrics', async ({
  page,
  complaints,
}) => {
  complaints.allow.push(/412/)
  await open(page, 'limits=results.p99_ttft_ms<=500')
  const cheapest = region(page, 'Cheapest within all limits')
  await expect(cheapest).toContainText('by price: no price known')
  const dialog = page.getByRole('dialog', { name: 'Prices' })
  const price = (gpu: string) => dialog.getByRole('textbox', { name: new RegExp(`^Price of ${gpu}`) })
  await page.getByRole('button', { name: 'Prices' }).click()
  await expect(price('NVIDIA H200')).toHaveValue('')
  await dialog.getByRole('textbox', { name: 'Currency' }).fill('EUR')
  await price('NVIDIA H100 80GB HBM3').fill('two')
  await expect(dialog.getByRole('alert')).toContainText('is not a number')
  await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled()
  await price('NVIDIA H100 80GB HBM3').fill('2.5')
  await price('NVIDIA B200').fill('40')
  await dialog.getByRole('textbox', { name: /Grid emissions/ }).fill('380')
  expect(await soundness(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  // B200 is twice as fast at 16 times the price; no price is known for H200
  await expect(cheapest).toContainText(/by price: .*H100.*, [\d.]+ EUR per million output tokens/)
  await page.emulateMedia({ media: 'print' })
  await expect(cheapest.getByRole('button', { name: /H100/ }).first()).toBeVisible()
  await page.emulateMedia({ media: null })
  await cheapest.getByRole('button', { name: /Cost per million output tokens: definition/ }).click()
  const explained = page.getByRole('dialog', { name: 'Cost per million output tokens' })
  await expect(explained).toContainText('2.5 EUR per hour and NVIDIA H100 80GB HBM3, stored ')
  await expect(explained).toContainText('4 runs')
  await expect(explained).toContainText(/95 % CI[\d.]+ … [\d.]+ EUR/)
  await page.keyboard.press('Escape')
  // on the card, too
  await cheapest.getByRole('button', { name: /H100/ }).first().click()
  await expect(card(page).getByText('Cost per million output tokens').locator('..')).toContainText(
    /[\d.]+ EUR[\d.]+ … [\d.]+$/,
  )

  // the cost is a metric of the size and of an axis, with the currency as its unit
  await page.getByRole('button', { name: 'size: none' }).click()
  await page.keyboard.type('cost per million output')
  await page
    .getByRole('option', { name: /Cost per million output tokens/i })
    .first()
    .click()
  await expect(page).toHaveURL(new RegExp(`metrics=.*,.*,${COST}`))
  await expect(region(page, 'Chart')).toContainText(/size: Cost per million output tokens, .* EUR, smaller is better/)
  await expect(page.getByRole('main')).toContainText('32 without all three metrics')
  await expect(card(page)).toContainText('Cost per million output tokens')
  await page.getByRole('combobox', { name: 'Better values of the third metric' }).selectOption('higher')
  await expect(page).toHaveURL(new RegExp(`,\\+?(%2B)?${COST}`))
  await open(page, `metrics=${COST},${USER}`)
  await expect(plot(page)).toHaveAttribute('aria-label', /over Cost per million output tokens/)
  await expect(region(page, 'Chart')).toContainText('Cost per million output tokens EUR, better ←')

  // a file replaces all prices; a fault changes nothing
  await page.getByRole('button', { name: 'Prices' }).click()
  const file = (text: string) => ({ name: 'prices.csv', mimeType: 'text/csv', buffer: Buffer.from(text) })
  await dialog.getByTestId('prices-file').setInputFiles(file('gpu,per_hour\nNVIDIA H200,free\n'))
  await expect(dialog.getByRole('alert')).toHaveText(
    "Could not read prices.csv: line 2: per_hour: found 'free', expected a number of at least 0.",
  )
  await expect(price('NVIDIA B200')).toHaveValue('40')
  await dialog.getByTestId('prices-file').setInputFiles(file('gpu,per_hour,currency\nNVIDIA H200,3,USD\n'))
  await expect(price('NVIDIA H200')).toHaveValue('3')
  await expect(price('NVIDIA B200')).toHaveValue('')
  // someone else changes them meanwhile
  expect((await put({ prices: [{ gpu: 'NVIDIA B200', per_hour: 7 }] })).status).toBe(200)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog.getByRole('alert')).toContainText('Someone else has changed the prices.')
  const renewed = page.waitForRequest((request) => request.url().endsWith('/api/fields')) // costs have another unit
  await dialog.getByRole('button', { name: 'Load their prices' }).click()
  await expect(price('NVIDIA B200')).toHaveValue('7')
  await renewed
  await price('NVIDIA H200').fill('3')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(dialog).toBeHidden()
  const stored = (await (await fetch(`${dashboard().url}${PRICES}`)).json()) as { prices: object[]; currency: string }
  expect(stored.prices).toEqual([
    { gpu: 'NVIDIA B200', per_hour: 7 },
    { gpu: 'NVIDIA H200', per_hour: 3 },
  ])
  expect(stored.currency).toBe('EUR')
})
