// The timeline of an experiment: what was sampled is drawn and read exactly, a gap stays a gap, and the address has the
// shown time.
import type { Page } from '@playwright/test'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, IS_LONG, soundness, test, useDashboard } from './fixtures'
import { read, variant, write } from './results'

const BEGIN_S = 1000 // start of the measured run, on the clock of the samples
const S = 1e9
const GAP = [20, 26] // seconds after the start, without samples of the GPUs

const powerOf = (gpu: number, second: number) => (second === 33.5 && gpu === 1 ? 700 : 200 + 100 * gpu)

function lines() {
  const found: object[] = []
  for (let tick = -100; tick < 700; tick++) {
    const second = tick / 10
    const t_ns = Math.round((BEGIN_S + second) * S)
    if (second < (GAP[0] as number) || second >= (GAP[1] as number))
      for (const gpu of [0, 1])
        found.push({
          t_ns,
          source: 'gpu',
          id: `GPU-${gpu}`,
          values: { power_w: powerOf(gpu, second), utilization: 0.5 },
        })
    if (tick % 10 === 0 && second >= 0 && second <= 60)
      found.push({
        t_ns,
        source: 'server_metrics',
        id: null,
        values: { running: second, kv_cache_usage: second / 100 },
      })
    found.push({ t_ns, source: 'host', id: null, values: { cpu_share: 0.25, disk_read_bytes_per_s: 1e6 } })
  }
  for (const [second, in_flight] of [
    [0, 1],
    [5, 8],
    [60, 0],
  ] as const)
    found.push({ t_ns: (BEGIN_S + second) * S, source: 'load', id: null, values: { in_flight } })
  return Buffer.from(found.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

const dashboard = useDashboard((store, own) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  const base = read(own)
  for (const [i, name] of ['recorded', 'not uploaded', 'no telemetry'].entries()) {
    const document = variant(base, { name })
    document.series = {
      ...document.series,
      file: 'r.series.jsonl',
      interval_ms: 100,
      measured_begin_ns: BEGIN_S * S,
      measured_end_ns: (BEGIN_S + 60) * S,
    }
    Object.assign(document.launch.phases, { begin_ns: (BEGIN_S - 9) * S, weights_loaded_s: 6, ready_s: 8 })
    document.artifacts =
      name === 'not uploaded' ? [{ kind: 'series', name: 'r.series.jsonl', size: 5, sha256: 'a'.repeat(64) }] : []
    write(folder, `${i + 1}.json`, document)
  }
  store.import(folder)
})

const timeline = (page: Page) => page.getByRole('region', { name: 'Timeline', exact: true })
const slider = (page: Page) => timeline(page).getByRole('slider')
const lane = (page: Page, title: string) => timeline(page).locator(`[data-lane="${title}"]`)

async function open(page: Page, search = '') {
  const url = dashboard().url
  const { run_id } = await (await page.request.get(`${url}/api/data/experiments/1`)).json()
  const sent = await page.request.put(`${url}/api/upload/artifact/${run_id}/series/r.series.jsonl`, {
    data: lines(),
    headers: { 'Content-Type': 'application/octet-stream' },
  })
  expect(sent.ok()).toBe(true)
  await page.goto(`${url}/experiments/${run_id}${search}`)
  if (!search.includes('table')) await expect(lane(page, 'GPU power')).toBeVisible()
}

test('lanes, phases and the measured run share one axis; the cursor reads every lane, and a gap stays a gap', async ({
  page,
}) => {
  await open(page)
  await expect(timeline(page).locator('[data-lane] b')).toHaveText([
    'Requests req',
    'KV cache use %',
    'GPU utilization %',
    'GPU power W',
    'Host CPU %',
  ])
  await expect(timeline(page).locator('[data-run]')).toHaveCount(1)
  await expect(timeline(page).locator('[data-phase]')).not.toHaveCount(0)
  await expect(slider(page)).toHaveAttribute('aria-valuetext', /^no position/)
  await slider(page).focus()
  await page.keyboard.press('End')
  await expect(timeline(page).locator('[data-lane] [data-cursor]')).toHaveCount(5)
  await expect(slider(page)).toHaveAttribute('aria-valuetext', /GPU power 250 W/)
  await expect(lane(page, 'GPU power')).toContainText('250 W200–300')
  await expect(slider(page)).toHaveAttribute('aria-valuetext', /Requests in flight 0 req, Requests running no value/)
  await page.keyboard.press('Escape')
  await expect(slider(page)).toHaveAttribute('aria-valuetext', /^no position/)
  expect(await soundness(page)).toEqual([])

  // a gap stays a gap, and slow samples are none
  const stretches = async (title: string, series: string) =>
    (
      (await lane(page, title).locator(`[data-series="${series}"] path:not([data-band])`).getAttribute('d')) ?? ''
    ).split('M').length - 1
  expect(await stretches('GPU power', 'gpu.power_w')).toBe(2)
  expect(await stretches('Host CPU', 'host.cpu_share')).toBe(1)
  expect(await stretches('KV cache use', 'server_metrics.kv_cache_usage')).toBe(1)
  // bins of 20 ms are much shorter than the sampling intervals
  await page.goto(`${page.url().split('?')[0]}?t=10,18`)
  await expect(lane(page, 'KV cache use')).toBeVisible()
  expect(await stretches('KV cache use', 'server_metrics.kv_cache_usage')).toBe(1)
  expect(await stretches('GPU power', 'gpu.power_w')).toBe(1)
})

for (const [search, tag] of [
  ['', '@long'],
  ['?t=1,20', []],
] as const)
  test(`the page requests its data before its scripts have run, and once (${search || 'no range'})`, {
    tag: [tag].flat(),
  }, async ({ page }) => {
    const asked: string[] = []
    page.on('request', (request) => {
      const { pathname } = new URL(request.url())
      if (/^\/api\/(fields$|data\/experiments\/)/.test(pathname)) asked.push(pathname.replace(/.*\//, ''))
    })
    await page.route('**/assets/index-*.js', async (route) => {
      // the main script arrives after all of the data were requested
      await expect.poll(() => asked).toContain('series')
      await route.continue()
    })
    await open(page, search)
    const { run_id } = await (await page.request.get(`${dashboard().url}/api/data/experiments/1`)).json()
    for (const once of [run_id, 'fields', 'artifacts', 'series'])
      expect(asked.filter((path) => path === once)).toEqual([once])
  })

test('a drag and keys zoom; the address has the time, and a spike of one sample is found', async ({ page }) => {
  await open(page)
  await lane(page, 'Host CPU').scrollIntoViewIfNeeded()
  const box = (await lane(page, 'GPU power').locator('svg').boundingBox()) as {
    x: number
    y: number
    width: number
    height: number
  }
  const secondsAt = (x: number) => -10 + ((x - 44) / (box.width - 50)) * 80
  await page.mouse.move(box.x + box.width * 0.4, box.y + 30)
  await page.mouse.down()
  await page.mouse.move(box.x + box.width * 0.7, box.y + 30, { steps: 4 })
  await page.mouse.up()
  const shown = () => (new URL(page.url()).searchParams.get('t') ?? '').split(',').map(Number)
  await expect.poll(shown).toHaveLength(2)
  const [from, to] = shown() as [number, number]
  expect(Math.abs(from - secondsAt(box.width * 0.4))).toBeLessThan(0.3)
  expect(Math.abs(to - secondsAt(box.width * 0.7))).toBeLessThan(0.3)
  // one sample of one GPU is 700 W: the band reaches it at any zoom
  await expect(lane(page, 'GPU power').locator('text').last()).toHaveText(/800|1,000/)
  await slider(page).focus()
  await page.keyboard.press('Home')
  await page.keyboard.press('+')
  await expect.poll(() => (shown()[1] ?? 0) - (shown()[0] ?? 0)).toBeLessThan((to - from) * 0.6)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect.poll(() => new URL(page.url()).search).toBe('')
  await timeline(page).getByText('Measured run only').click()
  await expect.poll(shown).toEqual([0, 60])
  await page.reload()
  await expect(timeline(page).getByRole('checkbox', { name: 'Measured run only' })).toBeChecked()
  await timeline(page).getByText('Measured run only').click()
  await expect.poll(() => new URL(page.url()).search).toBe('')
})

test('an address with impossible times leads back to the recording', { tag: '@long' }, async ({ page, complaints }) => {
  complaints.allow.push(/422/)
  for (const range of ['1e300,2e300', ...(IS_LONG ? ['-1e6,-1e5', '1e15,2e15'] : [])]) {
    await open(page, `?t=${range}&table=1`)
    const back = timeline(page).getByRole('button', { name: 'Show whole recording' })
    if (await back.count()) await back.first().click()
    await expect(timeline(page).getByRole('row', { name: /^Power GPU/ })).toContainText('W')
  }
  // a drag of a few milliseconds is widened to what the address can tell
  await open(page, '?t=10,10.02')
  const box = (await lane(page, 'GPU power').locator('svg').boundingBox()) as { x: number; y: number; width: number }
  await lane(page, 'Host CPU').scrollIntoViewIfNeeded()
  const at = (await lane(page, 'GPU power').locator('svg').boundingBox()) as { y: number }
  await page.mouse.move(box.x + 200, at.y + 20)
  await page.mouse.down()
  await page.mouse.move(box.x + 210, at.y + 20, { steps: 3 })
  await page.mouse.up()
  await expect
    .poll(() => {
      const [from = 0, to = 0] = (new URL(page.url()).searchParams.get('t') ?? '').split(',').map(Number)
      return Math.round((to - from) * 1000)
    })
    .toBe(10)
})

test('the table has the numbers of the shown time, and a file has the bins', { tag: '@long' }, async ({ page }) => {
  await open(page, '?t=30,40&table=1')
  const row = (name: RegExp) => timeline(page).getByRole('row', { name })
  // 200 ticks of two GPUs, one of which was 700 W once
  await expect(row(/^Power GPU/)).toContainText('252200700W')
  await expect(row(/^Running server/)).toContainText('34.530.039.0req')
  await expect(row(/^In flight load/)).toContainText('–88req')
  await expect(row(/^Disk read/)).toHaveCount(0)
  await timeline(page).getByText('All series').click()
  await expect(row(/^Disk read/)).toHaveCount(1)
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    timeline(page)
      .getByRole('button', { name: /^Download \d+ bins/ })
      .click(),
  ])
  const text = readFileSync((await download.path()) as string, 'utf8').split('\r\n')
  expect(text[0]).toMatch(/^time \(s\),load\.in_flight last \(req\),/)
  const power = (text[0] as string).split(',').indexOf('gpu.power_w max (W)')
  const most = Math.max(...text.slice(1, -1).map((line) => Number(line.split(',')[power])))
  expect(most).toBe(700)
  if (IS_LONG) expect(await soundness(page)).toEqual([])
})

test('a file that was not uploaded is named; a result without telemetry has no timeline', { tag: '@long' }, async ({
  page,
}) => {
  const url = dashboard().url
  await page.goto(`${url}/experiments/2`)
  await expect(timeline(page)).toContainText('r.series.jsonl was not uploaded')
  await page.goto(`${url}/experiments/3`)
  await expect(page.getByRole('region', { name: 'Result file', exact: true })).toBeVisible()
  await expect(timeline(page)).toHaveCount(0)
})

test('a phone has no text outside its width', { tag: '@long' }, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  const width = await lane(page, 'GPU power')
    .locator('svg')
    .evaluate((svg) => svg.getBoundingClientRect().width)
  expect(width).toBeGreaterThan(300)
})
