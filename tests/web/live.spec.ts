// Live runs: snapshots arrive at a real dashboard while pages are open.
import type { Page } from '@playwright/test'

import { expect, IS_LONG, soundness, test, useDashboard } from './fixtures'
import { hold, keepReporting, report, snapshot } from './live'
import { little } from './results'

const dashboard = useDashboard()
const stops: (() => void)[] = []
const reporting = (...of: Parameters<typeof keepReporting>) => {
  const stop = keepReporting(...of)
  stops.push(stop)
  return stop
}
test.afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

const region = (page: Page, name: string) => page.getByRole('main').getByRole('region', { name, exact: true })
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name })
const facts = (page: Page) => page.locator('#main h1 + p')
const metric = (page: Page, name: string) => page.locator('dl > div', { has: page.getByText(name, { exact: true }) })
const tab = (page: Page) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: /^Live/ })
const open = async (page: Page, id: string, more = '') => {
  await page.goto(`${dashboard().url}/live/${id}${more}`)
  await expect(heading(page, `name of ${id}`)).toBeVisible()
}

test('the list has the command that starts a run, and follows runs: one that stops reporting becomes silent, and so does its page', async ({
  page,
}) => {
  const { url } = dashboard()
  await page.goto(`${url}/live`)
  await expect(page.getByText(`profllm run --config FILE --upload ${url}`)).toBeVisible()
  await expect(tab(page)).toHaveText('Live')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Upload', exact: true }).click()
  await expect(heading(page, 'Upload')).toBeVisible()
  reporting(url, 'list-a')
  const kill = reporting(url, 'list-b')
  await expect(tab(page)).toHaveText('Live 2 running')
  await tab(page).click()
  await expect(region(page, 'Running').getByRole('rowheader')).toHaveText(['name of list-b', 'name of list-a'])
  await expect(region(page, 'Running')).toContainText(/8\d\d of 1,536 requests, about 1 min \d+ s remaining/)
  kill()
  await expect(region(page, 'Silent').getByRole('row', { name: /list-b/ })).toContainText(
    /not running, as far as is known; last report [4-9] s ago/,
    { timeout: 10_000 },
  )
  await expect(region(page, 'Running').getByRole('rowheader')).toHaveText(['name of list-a'])
  if (IS_LONG) expect(await soundness(page)).toEqual([])
  await region(page, 'Silent').getByRole('link', { name: 'name of list-b' }).click()
  await expect(facts(page)).toContainText(/not running, as far as is known; last report \d+ s ago/)
  await expect(page.getByRole('main').getByRole('status')).toHaveText(
    'The run does not report. It is unknown whether it continues.',
  )
  await expect(page.getByRole('main')).not.toContainText('remaining')
  await page.goBack()
  // again, and ended with a failure
  await report(url, snapshot('list-b', 200))
  await expect(region(page, 'Running').getByRole('rowheader')).toHaveCount(2)
  const ended = { exit_status: 4, state: 'launch_failed', sentence: 'no room for the KV cache' }
  await report(url, snapshot('list-b', 201, { phase: { name: 'ended' }, ended }))
  await expect(region(page, 'Ended').getByRole('row', { name: /list-b/ })).toContainText(
    /launch failed (just now|\d+ s ago)/,
  )
  await region(page, 'Ended').getByRole('link', { name: 'name of list-b' }).click()
  await expect(page.getByRole('main')).toContainText(
    'The run has ended with status 4: launch failed. no room for the KV cache',
  )
  await expect(
    page.getByRole('complementary', { name: 'Live runs' }).getByRole('link', { name: /list-a/ }),
  ).toBeVisible()
})

test('a run of a sweep links the sweep, and a profile is a phase', async ({ page }) => {
  const { url } = dashboard()
  const run = {
    point: 3,
    points: 12,
    sweep: { id: 'swp_a', name: 'night', combination: 'max_concurrency=8' },
    command: null,
  }
  const phase = { name: 'profiling' as const, step: 'waiting for the traces', elapsed_s: 4 }
  stops.push(hold(url, snapshot('swept', 40, { run, phase })))
  await open(page, 'swept')
  await expect(facts(page)).toContainText('run 3 of 12 of sweep night')
  await expect(page.locator('#main')).toContainText('max_concurrency=8')
  const phases = page.getByRole('list', { name: 'Phases' }).getByRole('listitem')
  await expect(phases.last()).toHaveText('stopping')
  await expect(phases.nth(-2)).toHaveText('waiting for the traces 4.0 s')
  await expect(page.getByRole('link', { name: 'night' })).toHaveAttribute('href', /sweeps\/swp_a$/)
  if (IS_LONG) expect(await soundness(page)).toEqual([])
})

test('the page of a run shows its verdict first, and changes with each report', async ({ page }) => {
  const { url } = dashboard()
  for (let at = 1; at <= 40; at++) await report(url, snapshot('one', at))
  const release = hold(url, snapshot('one', 40))
  stops.push(release)
  await open(page, 'one')
  const regions = await page
    .locator('#main > section')
    .evaluateAll((all) => all.map((one) => one.getAttribute('aria-label')))
  expect(regions.slice(0, 2)).toEqual(['Verdict so far', 'Timeline'])
  await expect(region(page, 'Verdict so far')).toContainText('Degraded so far')
  await expect(region(page, 'Verdict so far')).toContainText('Schedule lateness')
  await expect(region(page, 'Verdict so far')).toContainText('1.40 ms, limit 1.00 ms')
  await expect(region(page, 'Verdict so far')).toContainText(
    '317 of 1,000 are completed. The p99 appears in about 2 min.',
  )
  await expect(page.getByRole('list', { name: 'Phases' }).getByRole('listitem')).toHaveText([
    'loading weights 33 s',
    'compiling 19 s',
    'warming up 8.0 s',
    'measuring 320 of 1,536 requests, about 2 min 32 s remaining',
    'draining',
    'stopping',
  ])
  await expect(metric(page, 'TTFT median so far')).toContainText('97.2msCI 95.3 – 99.1')
  await expect(metric(page, 'Fullest GPU')).toContainText('132GBof 150 GB')
  await expect(metric(page, 'Failed')).toContainText('3of 320 (0.94 %)')
  await expect(region(page, 'Errors by cause').getByRole('row').nth(1)).toHaveText(
    'connection reset341.2 srequest 296: reset after 118 tokens',
  )
  await expect(region(page, 'Server log').getByRole('listitem').first()).toHaveText(
    '3,096WARNINGengine step took 1.6 s, 6 requests waited',
  )
  await expect(region(page, 'Command')).toContainText('profllm run --config one.yaml')
  await expect(facts(page)).toContainText('measuring, reported just now')
  if (IS_LONG) expect(await soundness(page)).toEqual([])

  release()
  await report(
    url,
    snapshot('one', 60, {
      ttft_ms: { median: 123.4, low: null, high: null },
      requests: { in_flight: 11 },
      verdict: { state: 'trusted', reasons: [] },
    }),
  )
  await expect(metric(page, 'TTFT median so far')).toHaveText('TTFT median so far123ms')
  await expect(region(page, 'Verdict so far')).toContainText('Trusted so far')
  // the keyboard reads the timeline: the last point is that of the last report
  const slider = page.getByRole('slider', { name: /^Timeline of Requests, Finished/ })
  await slider.focus()
  await page.keyboard.press('End')
  await expect(slider).toHaveAttribute(
    'aria-valuetext',
    /^131 s: Requests in flight 11 req, .*TTFT median so far 123\.4 ms/,
  )
  await expect(slider).toHaveAttribute('aria-valuemax', '40')
  await page.keyboard.press('+')
  await expect.poll(() => new URL(page.url()).searchParams.get('t')).toMatch(/^\d/)
  await page.keyboard.press('Escape')
  await page.keyboard.press('Escape')
  await expect.poll(() => new URL(page.url()).search).toBe('')
  await region(page, 'Timeline').getByText('Table', { exact: true }).click()
  await expect(region(page, 'Timeline').getByRole('row', { name: /^Requests: in flight/ })).toContainText('11371138req')
  await page.reload()
  await expect(region(page, 'Timeline').getByRole('row', { name: /^TTFT median so far/ })).toContainText('123.4')
  expect(await soundness(page)).toEqual([])
})

test('a run of a pooling protocol shows inputs and end-to-end latency', async ({ page }) => {
  const nothing = { n: 0, median: null, low: null, high: null }
  const pooled = (seconds: number) =>
    snapshot('pooled', seconds, {
      rates: { output_tokens_per_s: null, inputs_per_s: 31.2 },
      ttft_ms: nothing,
      tpot_ms: nothing,
      e2el_ms: { n: 800, median: 41.5, low: 40, high: 43 },
    })
  await report(dashboard().url, pooled(40))
  await report(dashboard().url, pooled(41))
  await open(page, 'pooled', '?table=1')
  await expect(metric(page, 'Inputs')).toContainText('31.2')
  await expect(metric(page, 'E2EL median so far')).toContainText('41.5msCI 40.0 – 43.0')
  for (const name of ['Output', 'TTFT median so far', 'TPOT median so far'])
    await expect(metric(page, name)).toHaveCount(0)
  const rows = region(page, 'Timeline').getByRole('row')
  await expect(rows.filter({ hasText: 'E2EL median so far' })).toContainText('41.5')
  await expect(rows.filter({ hasText: 'TTFT' })).toHaveCount(0)
})

test('hostile text of a report stays text', async ({ page }) => {
  const text = '<img src=x onerror=alert(1)>\u202egnp.\u001b[31m'
  await report(
    dashboard().url,
    snapshot('hostile', 5, {
      run: { run_id: 'hostile', name: text, model: text, server: text, load: text, command: text, vllm_version: text },
      errors: [{ cause: text, count: 1, first_s: null, first_sample: text }],
      log: [{ line: null, severity: text.slice(0, 40), text }],
      verdict: { sentence: text, reasons: [{ check: text, sentence: text, value: null, limit: null, unit: text }] },
    }),
  )
  await page.goto(`${dashboard().url}/live/hostile`)
  await expect(heading(page, /<img/)).toBeVisible()
  await expect(region(page, 'Errors by cause')).toContainText('<img src=x onerror=alert(1)>�gnp.␛[31m')
  await expect(page.locator('#main img')).toHaveCount(0)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
})

test('a screen reader hears phases and verdicts, once each', async ({ page }) => {
  const { url } = dashboard()
  const at = (seconds: number, parts: Parameters<typeof snapshot>[2] = {}) =>
    report(url, snapshot('spoken', seconds, parts))
  await at(1, { phase: { name: 'warming_up', done: [] }, verdict: { state: 'unknown', reasons: [] } })
  await open(page, 'spoken')
  const status = page.getByRole('main').getByRole('status')
  await expect(status).toHaveText('Warming up. No verdict so far.')
  const live = page.locator('#main [aria-live], #main [role=status], #main [role=alert], #main [role=log]')
  const names = await live.evaluateAll((all) => all.map((one) => one.textContent))
  expect(names).toEqual(['Copy command', 'Warming up. No verdict so far.'])
  await status.evaluate((element) => {
    const heard: (string | null)[] = []
    Object.assign(window, { heard })
    new MutationObserver(() => heard.push(element.textContent)).observe(element, {
      subtree: true,
      childList: true,
      characterData: true,
    })
  })
  for (let seconds = 2; seconds <= 12; seconds++) {
    await at(seconds, { verdict: { state: seconds < 8 ? 'trusted' : 'degraded' } })
    await expect(metric(page, 'Failed')).toContainText(`of ${seconds * 8}`)
  }
  expect(await page.evaluate(() => (window as unknown as { heard: string[] }).heard)).toEqual([
    'Measuring. Trusted so far.',
    'Measuring. Degraded so far.',
  ])
})

// without @long, the page of a silent run is a part of the test of the list
test('a killed run is silent within 5 s, another page continues', { tag: '@long' }, async ({ page, context }) => {
  const { url } = dashboard()
  reporting(url, 'stays')
  const kill = reporting(url, 'dies')
  await open(page, 'dies')
  const other = await context.newPage()
  await open(other, 'stays')
  await expect(facts(page)).toContainText('measuring, reported just now')
  kill()
  await expect(page.getByRole('main')).toContainText('Not running, as far as is known.', { timeout: 6000 })
  await expect(facts(page)).toContainText(/not running, as far as is known; last report \d s ago/)
  await expect(page.getByRole('main').getByRole('status')).toHaveText(
    'The run does not report. It is unknown whether it continues.',
  )
  await expect(page.getByRole('main')).not.toContainText('remaining')
  await expect(facts(other)).toContainText('measuring, reported just now')
  if (IS_LONG) expect(await soundness(page)).toEqual([])
  reporting(url, 'dies', (seconds) => ({ requests: { done: 1000 + Math.round(seconds) } }))
  // its numbers begin again at 100: the dashboard ignores them until they are newer
  await report(url, snapshot('dies', 500))
  await expect(facts(page)).toContainText('measuring, reported just now')
})

test('a page finds a restarted dashboard, and the run with it', async ({ page, complaints }) => {
  complaints.allow.push(/Failed to load resource|ERR_|404/)
  reporting(dashboard().url, 'survives')
  await open(page, 'survives')
  await dashboard().stop('SIGKILL')
  await expect(page.getByRole('main')).toContainText('The connection to the dashboard is lost.')
  await expect(facts(page)).toContainText(/connection lost, last report (just now|\d s ago)/)
  await expect(metric(page, 'Sent')).toContainText('7.97')
  await dashboard().start()
  await expect(facts(page)).toContainText('measuring, reported just now', { timeout: 6000 })
  await expect(page.getByRole('main')).not.toContainText('lost')
})

test('at the end, the experiment takes the place of the run without a reload', async ({ page }) => {
  const { url } = dashboard()
  await report(url, snapshot('becomes', 150))
  await open(page, 'becomes', '?table=1')
  await page.evaluate(() => Object.assign(window, { isSame: true }))
  const ended = { exit_status: 0, state: 'completed', sentence: null }
  await report(url, snapshot('becomes', 160, { phase: { name: 'ended' }, ended }))
  await expect(page.getByRole('main')).toContainText('The run has ended. Its result has not been uploaded yet.')
  await expect(region(page, 'Verdict')).toContainText('Degraded')
  await expect(page.getByRole('main')).not.toContainText('Degraded so far')
  await page.request.post(`${url}/api/upload/batch`, {
    data: [{ ...little(1), run_id: 'becomes', name: 'its-result' }],
  })
  await expect(page).toHaveURL(/\/experiments\/\d+\?table=1$/)
  await expect(heading(page, 'its-result')).toBeVisible()
  expect(await page.evaluate(() => 'isSame' in window)).toBe(true)
  // the list leads to the same page
  await page.goto(`${url}/live`)
  await region(page, 'Ended').getByRole('link', { name: 'name of becomes' }).click()
  await expect(page).toHaveURL(/\/experiments\/\d+$/)
})

test('a run that the dashboard does not know opens as soon as it reports, or as its result', { tag: '@long' }, async ({
  page,
  complaints,
}) => {
  complaints.allow.push(/404/)
  const { url } = dashboard()
  await page.goto(`${url}/live/later`)
  await expect(page.getByRole('main')).toContainText('No run with this ID reports to this dashboard.')
  await report(url, snapshot('later', 10))
  await expect(heading(page, 'name of later')).toBeVisible()
  await page.request.post(`${url}/api/upload/batch`, {
    data: [{ ...little(2), run_id: 'long ago', name: 'old-result' }],
  })
  await page.goto(`${url}/live/long%20ago`)
  await expect(heading(page, 'old-result')).toBeVisible()
})

test('a paused page keeps its values while the run continues', { tag: '@long' }, async ({ page }) => {
  const { url } = dashboard()
  await report(url, snapshot('paused', 10))
  await open(page, 'paused')
  await page.getByRole('button', { name: 'Pause' }).click()
  await report(url, snapshot('paused', 11, { rates: { sent_per_s: 5 } }))
  await expect(
    page.getByRole('complementary', { name: 'Live runs' }).getByRole('link', { name: /paused/ }),
  ).toContainText('88 of 1,536')
  await expect(metric(page, 'Sent')).toContainText('7.97')
  await expect(page.getByRole('main')).toContainText(/The page is paused at \d\d:\d\d:\d\d UTC\. The run is not\./)
  await page.request.post(`${url}/api/upload/batch`, {
    data: [{ ...little(3), run_id: 'paused', name: 'paused-result' }],
  })
  await page.getByRole('link', { name: 'Open the result' }).click()
  await expect(heading(page, 'paused-result')).toBeVisible()
})

test('on a phone, nothing is outside the width, and the current page is in view', async ({ page }) => {
  const ratio = 0.95 // widths of links are fractions of a pixel
  await page.setViewportSize({ width: 390, height: 844 })
  reporting(dashboard().url, 'phone')
  for (const path of ['/live', ...(IS_LONG ? ['/live/phone'] : []), '/live/phone?table=1']) {
    await page.goto(`${dashboard().url}${path}`)
    await expect(page.getByRole('main')).toContainText('phone')
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), path).toBeLessThanOrEqual(0)
    await expect(tab(page)).toBeInViewport({ ratio })
  }
  await page.goto(`${dashboard().url}/upload`)
  await expect(page.getByRole('link', { name: 'Upload', exact: true })).toBeInViewport({ ratio })
})

test('a hidden page holds no connection', async ({ page }) => {
  reporting(dashboard().url, 'hidden')
  await open(page, 'hidden')
  const asked: string[] = []
  page.on('request', (request) => {
    if (request.headers()['accept'] === 'text/event-stream') asked.push(new URL(request.url()).pathname)
  })
  const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/live/hidden'))
  const turn = (state: string) =>
    page.evaluate((to) => {
      Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => to })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)
  await turn('hidden')
  await ended
  await turn('visible')
  await expect.poll(() => asked.length).toBe(1)
  await expect(facts(page)).toContainText('measuring, reported just now')
})
