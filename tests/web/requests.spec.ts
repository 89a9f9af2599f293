// The requests of an experiment: lanes, curves and rows of the same selection; the time is that of the timeline.
import type { Page } from '@playwright/test'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, follow, IS_LONG, soundness, test, useDashboard } from './fixtures'
import { read, variant, write } from './results'

const BEGIN_S = 1000 // start of the measured run, on the clock of the records
const S = 1e9
const COUNT = 240 // four per second
const SLOW = 131 // starts at 32.75 s, during the spike of power
const ns = (second: number) => Math.round((BEGIN_S + second) * S)

function record(index: number) {
  const start = index / 4
  const first = start + (index === SLOW ? 3 : 0.1 + (index % 10) / 100)
  const gaps = [0.02, 0.02, index % 60 === 7 ? 0.9 : 0.02, 0.02]
  const times = gaps.reduce((all, gap) => [...all, (all.at(-1) as number) + gap], [first])
  const isFailed = index % 40 === 5
  return {
    index,
    request_id: `bench-${index}`,
    try: 1,
    tries: 1,
    retried: false,
    planned_ns: ns(start),
    queued_ns: null,
    acted_ns: ns(start),
    connected_ns: null,
    handshake_ns: null,
    sent_ns: ns(start + 0.001),
    headers_ns: ns(first),
    first_event_ns: isFailed ? null : ns(first),
    first_token_ns: isFailed ? null : ns(first),
    end_ns: ns(isFailed ? start + 2 : (times.at(-1) as number)),
    events: isFailed ? [] : times.map((t) => [ns(t), 1, 2]),
    prompt_tokens_requested: 32,
    prompt_tokens: 32,
    output_tokens_requested: 5,
    output_tokens: isFailed ? null : 5,
    token_source: 'usage',
    finish_reason: isFailed ? null : 'length',
    status: isFailed ? 503 : 200,
    error: isFailed ? { kind: 'http_status', status: 503, message: '<img src=x onerror=alert(1)>' } : null,
  }
}

const records = Array.from({ length: COUNT }, (_, index) => record(index))
const failed = records.filter(({ error }) => error !== null).length

const lines = (list: object[]) => Buffer.from(list.map((one) => `${JSON.stringify(one)}\n`).join(''))

const series = Array.from({ length: 620 }, (_, tick) => ({
  t_ns: ns(tick / 10),
  source: 'gpu',
  id: 'GPU-0',
  values: { power_w: tick >= 328 && tick < 345 ? 690 : 300 },
}))

const dashboard = useDashboard((store, own) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  const base = read(own)
  for (const [i, name] of ['recorded', 'not uploaded', 'no records', 'empty', 'deleted'].entries()) {
    const document = variant(base, { name })
    document.series = {
      ...document.series,
      file: 'r.series.jsonl',
      measured_begin_ns: BEGIN_S * S,
      measured_end_ns: (BEGIN_S + 61) * S,
    }
    Object.assign(document.results, {
      completed: COUNT - failed,
      failed,
      total_output_tokens: 5 * (COUNT - failed) + (name === 'empty' ? 1 : 0),
    })
    document.artifacts =
      name === 'not uploaded' ? [{ kind: 'requests', name: 'r.requests.jsonl', size: 5, sha256: 'a'.repeat(64) }] : []
    write(folder, `${i + 1}.json`, document)
  }
  store.import(folder)
})

const part = (page: Page) => page.getByRole('region', { name: 'Requests', exact: true })
const table = (page: Page) => part(page).getByRole('region', { name: 'Requests table' })
const lanes = (page: Page) => part(page).getByRole('slider', { name: 'Requests in lanes' })
const row = (page: Page, index: number) => part(page).locator(`tr[data-request="${index}"]`)
const search = (page: Page) => new URL(page.url()).searchParams

async function open(page: Page, query = '', id = 1) {
  const url = dashboard().url
  const { run_id } = await (await page.request.get(`${url}/api/data/experiments/${id}`)).json()
  for (const [kind, data] of [
    ['requests', lines(records)],
    ['series', lines(series)],
  ] as const) {
    const sent = await page.request.put(`${url}/api/upload/artifact/${run_id}/${kind}/r.${kind}.jsonl`, {
      data,
      headers: { 'Content-Type': 'application/octet-stream' },
    })
    expect(sent.ok()).toBe(true)
  }
  await page.goto(`${url}/experiments/${run_id}${query}`)
  await expect(
    part(page)
      .getByText(/of 240|^240/)
      .first(),
  ).toBeVisible()
}

test('lanes, curves and rows; the sums are those of the result; keys go from request to request, mark one and zoom', async ({
  page,
}) => {
  await open(page)
  await expect(table(page).locator('tbody tr')).toHaveCount(50)
  await expect(part(page).getByText('1–50 of 240')).toBeVisible()
  await expect(part(page).locator('dl')).toContainText(`Completed${COUNT - failed}Failed${failed}`)
  await expect(part(page)).not.toContainText('differ')
  await expect(lanes(page).locator('path[data-part]')).toHaveCount(5)
  for (const kind of ['send', 'wait', 'tokens', 'stalls', 'failed'])
    await expect(lanes(page).locator(`path[data-part="${kind}"]`)).toHaveAttribute('d', /M/)
  await expect(part(page).locator('figure[data-curve]')).toHaveCount(4)
  await expect(page.getByRole('navigation', { name: 'On this page' })).toContainText('Requests')
  expect(await soundness(page)).toEqual([])

  // by keyboard
  await lanes(page).focus()
  await page.keyboard.press('Home')
  await expect(lanes(page)).toHaveAttribute('aria-valuetext', /^request #0, start 0\.000 s, first chunk after 100 ms/)
  for (let i = 0; i < 7; i++) await page.keyboard.press('ArrowRight')
  await expect(lanes(page)).toHaveAttribute('aria-valuetext', /^request #7, .*1 stall$/)
  await page.keyboard.press('Enter')
  await expect(row(page, 7)).toContainText('900')
  await expect.poll(() => search(page).get('req')).toBe('7')
  await page.keyboard.press('+')
  await expect.poll(() => search(page).get('t')).not.toBeNull()
  await lanes(page).focus()
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect.poll(() => search(page).get('t')).toBeNull()
  const curves = part(page).getByRole('slider', { name: 'Percentile curves' })
  await curves.focus()
  await page.keyboard.press('End')
  await expect(curves).toHaveAttribute('aria-valuetext', /^max: TTFT 3,000 ms/)
})

test('a busy server is asked again until it has read the requests', { tag: '@long' }, async ({ page, complaints }) => {
  complaints.allow.push(/503/)
  let refused = 0
  await page.route('**/api/data/experiments/*/requests?*', (route) => {
    if (refused >= 3) return route.continue()
    refused++
    return route.fulfill({
      status: 503,
      headers: { 'Retry-After': '1' },
      contentType: 'application/problem+json',
      body: '{"status":503,"detail":"other artifacts are being read; retry later"}',
    })
  })
  const opened = open(page)
  await expect(part(page).getByText('Waiting for the server: other artifacts are being read.')).toBeVisible()
  await opened
  await expect(table(page).locator('tbody tr')).toHaveCount(50)
  await expect(part(page).getByText('Waiting for the server')).toHaveCount(0)
})

test('from a spike of the timeline to the request and its row', { tag: '@long' }, async ({ page }) => {
  await open(page)
  const power = page.getByRole('region', { name: 'Timeline', exact: true }).locator('[data-lane="GPU power"] svg')
  await power.scrollIntoViewIfNeeded()
  const box = (await power.boundingBox()) as { x: number; y: number; width: number }
  const xOf = (second: number) => box.x + 44 + ((second + 0) / 61.9) * (box.width - 50)
  await page.mouse.move(xOf(32.6), box.y + 30)
  await page.mouse.down()
  await page.mouse.move(xOf(34.8), box.y + 30, { steps: 4 })
  await page.mouse.up()
  await expect.poll(() => search(page).get('t')).not.toBeNull()
  await expect(part(page).getByText(/^1–\d+ of \d+$/)).toBeVisible()
  await expect.poll(() => table(page).locator('tbody tr').count()).toBeLessThan(20)
  await table(page).getByRole('button', { name: /^TTFT/ }).click()
  await expect(table(page).locator('tbody tr').first()).toHaveAttribute('data-request', String(SLOW))
  await table(page)
    .getByRole('button', { name: `Mark request ${SLOW}` })
    .click()
  await expect(page.locator(`[data-mark="${SLOW}"]`).first()).toBeVisible()
  await expect.poll(() => search(page).get('req')).toBe(String(SLOW))
  await page.reload()
  await expect(page.locator(`[data-mark="${SLOW}"]`).first()).toBeVisible()
  await expect(table(page).locator('tbody tr').first()).toHaveAttribute('data-request', String(SLOW))
})

// without @long, a key marks a request in the lanes, and the button of its row does
test('a click in the lanes marks the request under it', { tag: '@long' }, async ({ page }) => {
  await open(page, '?t=30,36')
  await lanes(page).scrollIntoViewIfNeeded()
  const svg = lanes(page).locator('svg').first()
  const box = (await svg.boundingBox()) as { x: number; y: number; width: number; height: number }
  await expect(part(page)).toContainText('in flight 30.000 to 36.000 s')
  // alone in its lane at 34.5 s: the only one that takes seconds
  const x = box.x + 8 + ((34.5 - 30) / 6) * (box.width - 16)
  let found = false
  for (let y = box.y + 2; y < box.y + box.height && !found; y += 6) {
    await page.mouse.move(x, y)
    found = (await lanes(page).getAttribute('aria-valuetext'))?.startsWith(`request #${SLOW}`) ?? false
    if (found) await page.mouse.click(x, y)
  }
  expect(found).toBe(true)
  await expect(page.locator(`[data-mark="${SLOW}"]`).first()).toBeVisible()
})

test('filters, pages, all columns and the file cover the same requests', async ({ page }) => {
  await open(page)
  await part(page).getByLabel('Status', { exact: true }).selectOption('failed')
  await expect(part(page).getByText(`1–${failed} of ${failed}`)).toBeVisible()
  await expect(part(page).getByText('<img')).toHaveCount(0)
  await part(page).getByText('All columns').click()
  await expect(row(page, 5)).toContainText('<img src=x onerror=alert(1)>')
  await part(page).getByRole('button', { name: 'Clear filters' }).click()
  await part(page).getByLabel('Column of the lower limit').selectOption('max_itl_ms')
  await part(page)
    .getByLabel(/^Lower limit/)
    .fill('500')
  await page.keyboard.press('Enter')
  await expect(part(page).getByText(/^1–4 of 4$/)).toBeVisible()
  expect(search(page).get('rmin')).toBe('max_itl_ms:500')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    part(page).getByRole('link', { name: 'Download CSV' }).click(),
  ])
  const rows = readFileSync((await download.path()) as string, 'utf8')
    .trim()
    .split('\r\n')
  expect(rows).toHaveLength(5)
  expect(rows[1]).toMatch(/^7,completed,1\.75,/)
  await part(page).getByRole('button', { name: 'Clear filters' }).click()
  await part(page).getByRole('button', { name: 'Next requests' }).click()
  await expect(part(page).getByText('51–100 of 240')).toBeVisible()
  await part(page).getByText('Table', { exact: true }).click()
  await expect(part(page).getByRole('row', { name: /^p50/ })).toContainText('20')
  expect(search(page).get('rcurve')).toBe('table')
  await part(page).getByLabel('Part of the request ID').fill('BENCH-131')
  await page.keyboard.press('Enter')
  await expect(part(page).getByText(/^1–1 of 1$/)).toBeVisible()
  if (IS_LONG) expect(await soundness(page)).toEqual([])
})

test('states: not uploaded, none, none that match, and a failure', { tag: '@long' }, async ({ page, complaints }) => {
  complaints.allow.push(/422|404/)
  const url = dashboard().url
  await page.goto(`${url}/experiments/2`)
  await expect(part(page)).toContainText('r.requests.jsonl was not uploaded')
  await follow(page, `${url}/experiments/3`)
  await expect(page.getByRole('heading', { level: 1, name: 'no records' })).toBeVisible()
  await expect(page.getByRole('region', { name: 'Result file', exact: true })).toBeVisible()
  await expect(part(page)).toHaveCount(0)
  await open(page, '?rid=nothing')
  await expect(part(page)).toContainText('No request matches.')
  await part(page).getByRole('button', { name: 'Clear filters' }).first().click()
  await expect(part(page).getByText('1–50 of 240')).toBeVisible()
  await page.goto(`${url}/experiments/1?rmin=no_column:1`)
  await expect(part(page).getByRole('alert')).toContainText('no_column')
  await part(page).getByRole('alert').getByRole('button', { name: 'Clear filters' }).click()
  await expect(part(page).getByText('1–50 of 240')).toBeVisible()
})

// without @long, other tests of this file sort, page and zoom
test('an unknown column is the default order, a page after the last is the last, and a zoom shows the first', {
  tag: '@long',
}, async ({ page }) => {
  await open(page, '?rsort=-no_column&rpage=8')
  await expect(part(page).getByText('201–240 of 240')).toBeVisible()
  await expect(table(page).locator('tbody tr')).toHaveCount(40)
  await expect(table(page).getByRole('columnheader', { name: /^#/ })).toHaveAttribute('aria-sort', 'ascending')
  await expect(table(page).locator('tbody tr').first()).toHaveAttribute('data-request', '200')
  await expect(part(page).getByRole('alert')).toHaveCount(0)
  await expect(part(page).getByRole('link', { name: 'Download CSV' })).not.toHaveAttribute('href', /sort/)
  await expect(part(page).getByRole('button', { name: 'Next requests' })).toBeDisabled()
  await part(page).getByRole('button', { name: 'Previous requests' }).click()
  await expect(part(page).getByText('151–200 of 240')).toBeVisible()
  expect(search(page).get('rpage')).not.toBeNull()
  await page.getByRole('region', { name: 'Timeline', exact: true }).getByRole('slider').focus()
  for (let i = 0; i < 5; i++) await page.keyboard.press('+')
  await expect.poll(() => search(page).get('t')).not.toBeNull()
  expect(search(page).get('rpage')).toBeNull()
  await expect(part(page).getByText(/^1–\d+ of \d+$/)).toBeVisible()
})

test('telemetry, requests, log and commands of a deleted experiment remain', { tag: '@long' }, async ({ page }) => {
  const url = dashboard().url
  const { run_id } = await (await page.request.get(`${url}/api/data/experiments/5`)).json()
  const sent = await page.request.put(`${url}/api/upload/artifact/${run_id}/server_log/r.server.log`, {
    data: Buffer.from('first line\n'),
    headers: { 'Content-Type': 'application/octet-stream' },
  })
  expect(sent.ok()).toBe(true)
  await open(page, '', 5)
  const region = (name: string) => page.getByRole('region', { name, exact: true })
  const shown = async () => {
    await expect(region('Timeline').locator('[data-lane="GPU power"]')).toBeVisible()
    await expect(table(page).locator('tbody tr')).toHaveCount(50)
    await expect(region('Server log').locator('[data-line="1"]')).toBeVisible()
    await expect(region('Commands').getByRole('group', { name: 'Server', exact: true })).toBeVisible()
    await expect(page.getByRole('alert')).toHaveCount(0)
  }
  await region('Server log').scrollIntoViewIfNeeded()
  await region('Server log').getByRole('searchbox', { name: 'Search the log' }).fill('first')
  await expect(region('Server log').getByRole('status')).toHaveText('1 of 1')
  await region('Commands').scrollIntoViewIfNeeded()
  await shown()
  const asked: string[] = []
  page.on('request', (request) => {
    if (/\/experiments\/\w+\/(series|requests|log|command)\b/.test(request.url())) asked.push(request.url())
  })
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Undo' })).toBeFocused()
  await shown()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('button', { name: 'Delete', exact: true })).toBeVisible()
  await shown()
  expect(asked).toEqual([])
})

test('records that differ from the result are reported', async ({ page }) => {
  await open(page, '', 4)
  await expect(part(page)).toContainText('The records differ from the metrics of the result.')
  await expect(part(page)).toContainText('total_output_tokens')
})

// without @long, timeline.spec.ts measures the width of the same page
test('a phone has no text outside its width', { tag: '@long' }, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  if (IS_LONG) expect(await soundness(page)).toEqual([])
})
