import type { Locator } from '@playwright/test'
import { closeSync, mkdtempSync, openSync, readFileSync, truncateSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'

import { chips, counted, Dashboard, expect, test, useDashboard } from './fixtures'
import { read, variant, vllmResult, write } from './results'

const empty = useDashboard()
const fresh = useDashboard()
// checks of other producers: without texts, values and limits, or not objects
const CHECKS = [
  { id: 'client_error', status: 'over_limit', effect: 'degraded', unit: 'share' },
  { status: 'over_limit', effect: 'info', limit: 1 },
  { id: 'overlap', status: 'ok', value: true },
  'x',
  null,
]
const dashboard = useDashboard((store, own) => {
  const odd = {
    run_id: 'odd',
    suite: 'web',
    timestamp: '2026-11-01T00:00:00Z',
    duration: 1,
    config: { server: {}, benchmark: {} },
    results: { p99_ttft_ms: 1 },
    system: {},
    profiling: {},
    status: 'completed',
    quality: { verdict: 'degraded', checks: CHECKS },
  }
  store.import(own, write(store.folder, 'odd.json', odd))
})

// Drops files on the page.
async function drop(page: import('@playwright/test').Page, paths: string[]) {
  const files = paths.map((path) => ({ name: path.split('/').at(-1) as string, text: readFileSync(path, 'utf8') }))
  const data = await page.evaluateHandle((list) => {
    const transfer = new DataTransfer()
    for (const { name, text } of list) transfer.items.add(new File([text], name, { type: 'application/json' }))
    return transfer
  }, files)
  await page.dispatchEvent('body', 'dragenter', { dataTransfer: data })
  await expect(page.getByText('Drop to upload')).toBeVisible()
  await page.dispatchEvent('body', 'drop', { dataTransfer: data })
}

test('our result, vLLM’s file and a broken one are dropped; each shows its outcome', async ({
  page,
  folder,
  own,
  browser,
}) => {
  const broken = read(own)
  broken.results.p99_ttft_ms = 'n/a'
  const paths = [
    own,
    await vllmResult(folder),
    write(folder, 'broken.json', broken),
    write(folder, 'notes.txt', 'Remember the milk.'),
  ]
  await page.goto(empty().url)
  await expect(page.getByRole('heading', { name: 'No experiments yet' })).toBeVisible()

  await drop(page, paths)
  await expect(page).toHaveURL(/\/upload\/[\w-]+$/)
  const row = (name: string) => page.getByRole('row').filter({ has: page.getByRole('rowheader', { name }) })
  await expect(row('ours.json')).toContainText('stored')
  await expect(row('ours.json')).toContainText('ProfLLM result')
  await expect(row('vllm.json')).toContainText('stored')
  await expect(row('vllm.json')).toContainText('vLLM bench serve')
  await expect(row('broken.json')).toContainText('rejected')
  await expect(row('notes.txt')).toContainText('rejected')
  // states that no file has are not listed
  await expect(page.getByRole('region', { name: 'This upload' })).toContainText(/stored2rejected2/)
  const fault = page.getByRole('row', { name: /^\/results\/p99_ttft_ms/ })
  await expect(fault).toContainText('"n/a"')
  await expect(fault).toContainText(/number/)
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download report' }).click()
  const report = JSON.parse(readFileSync(await (await download).path(), 'utf8'))
  expect(report.items.map(({ state }: { state: string }) => state).sort()).toEqual([
    'rejected',
    'rejected',
    'stored',
    'stored',
  ])

  // the job has an address of its own
  const other = await browser.newPage()
  await other.goto(page.url())
  await expect(other.getByRole('row', { name: /broken\.json/ })).toContainText('rejected')
  await other.close()

  await page.getByRole('link', { name: 'Explore the 2 stored experiments' }).click()
  await expect(page).toHaveURL(/\?stored\.upload=1$/)
  await expect(counted(page)).toHaveText(/2 of 2 experiments/)
  const ours = page.getByRole('row', { name: /^ours/ })
  await expect(ours).toContainText('simulated')
  await expect(page.getByRole('row', { name: /no verdict/ })).toHaveCount(1)
})

// As 'vllm bench serve --save-result' writes it: totals, no lengths, no verdict, no count of failures if the load is
// odd. The figures do not contradict each other.
const serve = (load: number, ttft: number, output: number, tokens = 128) => ({
  date: '20261127-120000',
  endpoint_type: 'openai',
  backend: 'openai',
  label: null,
  model_id: 'org/model',
  tokenizer_id: 'org/model',
  num_prompts: 100,
  request_rate: 'inf',
  burstiness: 1,
  max_concurrency: load,
  duration: 12_800 / output,
  completed: 100,
  ...(load % 2 === 0 && { failed: 0 }),
  total_input_tokens: tokens * 100,
  total_output_tokens: 12_800,
  request_throughput: output / 128,
  request_goodput: null,
  output_throughput: output,
  total_token_throughput: (output * (tokens * 100 + 12_800)) / 12_800,
  mean_ttft_ms: ttft,
  median_ttft_ms: ttft,
  std_ttft_ms: ttft / 5,
  p99_ttft_ms: ttft * 2,
  mean_tpot_ms: 9,
  median_tpot_ms: 9,
  std_tpot_ms: 1,
  p99_tpot_ms: 12,
  mean_itl_ms: 9,
  median_itl_ms: 9,
  std_itl_ms: 2,
  p99_itl_ms: 20,
})

test('a new user uploads ten files of vllm bench serve, finds the best within a TTFT limit, compares and shares it', async ({
  page,
  folder,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const loads = [1, 2, 3, 8, 9, 32, 33, 64, 65, 128]
  await page.goto(fresh().url)
  await drop(
    page,
    loads.map((load, i) => write(folder, `ten-c${load}.json`, serve(load, 4 * 2 ** i, 100 * (i + 1), 128 + i / 2))),
  )
  await page.getByRole('link', { name: 'Explore the 10 stored experiments' }).click()
  await expect(counted(page)).toHaveText('10 of 10 experiments')
  await expect(page.getByTestId('plot')).toBeVisible()
  // from 4 ms to 2 s
  await expect(page.getByRole('button', { name: 'log scale of x' })).toHaveAttribute('aria-pressed', 'true')
  // files without a count of failures raise no caution, and lengths are compared by their totals
  const about = page.getByRole('note', { name: 'About this chart' })
  await expect(about).toHaveText(/^Mixed: 10 loads\s*(Keep only comparable results.*)?Details$/)
  const legend = page.getByRole('group', { name: 'Legend' }).locator('> span')
  await expect(legend.first()).toHaveText(/^hollow: no verdict\s*10$/)
  // views that these results cannot fill are not offered, and one model is one filter
  await page.getByRole('button', { name: 'Clear all' }).click()
  await expect(counted(page)).toHaveText('10 of 10 experiments')
  await page.waitForLoadState('networkidle')
  await expect(page.getByRole('navigation', { name: 'Suggested views' })).toHaveCount(0)
  await page.getByRole('checkbox', { name: 'Only fields that vary' }).press('Space')
  const panel = page.getByRole('complementary', { name: 'Filters' })
  await expect(panel.getByRole('group', { name: 'Model', exact: true })).toBeVisible()
  await expect(panel.getByRole('group', { name: 'Requested model', exact: true })).toHaveCount(0)
  await page.getByRole('checkbox', { name: 'Only fields that vary' }).press('Space')

  await page.getByRole('button', { name: 'Set an SLO' }).click()
  const slo = page.getByRole('group', { name: 'SLO', exact: true })
  await slo.getByRole('textbox').fill('100')
  await slo.getByRole('textbox').press('Enter')
  await expect(slo).toContainText('Best within SLO: ten-c9.json: ')
  await page.getByRole('button', { name: 'Copy link', exact: true }).click()
  const link = await page.evaluate(() => navigator.clipboard.readText())
  const other = await context.newPage()
  await other.goto(link)
  await expect(other.getByRole('group', { name: 'SLO', exact: true })).toContainText('ten-c9.json')
  await other.close()

  await page.keyboard.press('Escape')
  for (const name of ['ten-c8.json', 'ten-c9.json'])
    await page.getByRole('checkbox', { name, exact: true }).press('Space')
  await page.getByRole('link', { name: 'Compare 2' }).click()
  const summary = page.getByRole('region', { name: 'Summary' })
  await expect(summary).toContainText(/\d+ (is|are) unclear/)
  await expect(page.getByText('repeat the runs to decide')).toHaveCount(1)
  await expect(page.getByRole('region', { name: 'Metrics', exact: true })).not.toContainText(/no CI.*no CI.*no CI/)
  await expect(page.getByRole('region', { name: 'Cautions' })).not.toContainText(/failed requests.*figures/)
  // the only arrows are those of the direction that is better
  await expect(
    page.getByRole('region', { name: 'Metrics', exact: true }).getByRole('cell').filter({ hasText: /[↑↓]/ }),
  ).toHaveCount(0)
})

test('results can be opened before the upload is closed, also without a filter', async ({
  page,
  folder,
  complaints,
}) => {
  complaints.allow.push(/503|ERR_CONNECTION_REFUSED/) // a server that is busy is asked again
  const store = new Dashboard(mkdtempSync(join(folder, 'store-')))
  await store.start()
  try {
    await page.goto(store.url)
    await expect(page.getByRole('heading', { name: 'No experiments yet' })).toBeVisible()
    await page.route('**/close', () => {}) // it never ends
    await drop(
      page,
      [1, 2].map((load) => write(folder, `early-c${load}.json`, serve(load, load, load * 10))),
    )
    await page.getByRole('link', { name: 'Explore the 2 stored experiments' }).click()
    await expect(counted(page)).toHaveText('2 of 2 experiments')
    await page.getByRole('button', { name: 'Clear all' }).click()
    await expect(counted(page)).toHaveText('2 of 2 experiments')
  } finally {
    await store.stop()
  }
})

test('an empty page shows the first results when they arrive', async ({ page, folder }) => {
  const store = new Dashboard(mkdtempSync(join(folder, 'store-')))
  await store.start()
  try {
    await page.goto(store.url)
    await expect(page.getByRole('heading', { name: 'No experiments yet' })).toBeVisible()
    expect((await page.request.post(`${store.url}/api/upload/json`, { data: serve(1, 1, 10) })).ok()).toBe(true)
    await expect(counted(page)).toHaveText('1 of 1 experiments')
    await page.goto('about:blank') // it asks nothing of a server that has stopped
  } finally {
    await store.stop()
  }
})

test('points with the same run name have the names of their rows, by varying inputs', async ({ page, folder }) => {
  await page.goto(fresh().url)
  for (const load of [16, 256]) {
    // the page shows the upload before this one until the server has given this one an address
    const before = page.url()
    await drop(page, [write(join(folder, `twice-${load}`), 'result.json', serve(load, load, load * 10))])
    await expect(page).toHaveURL((url) => url.href !== before && /^\/upload\/\d+$/.test(url.pathname))
    await expect(page.getByRole('row', { name: /result\.json/ })).toContainText('stored')
  }
  await page.goto(`${fresh().url}/?run.name=result.json`)
  await expect(page.getByTestId('plot')).toBeVisible()
  await expect(page.getByRole('rowheader', { name: /c16/ })).toBeVisible()
  await page.getByTestId('plot').focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('status', { name: 'Chart reading' })).toHaveText(/^c16: /)
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('complementary', { name: 'Reading' })).toContainText(/c256\s*result\.json/)
  // also of a point whose row is not loaded: the table has other rows
  await page.route('**/api/filters/apply', async (route) => {
    const body = route.request().postDataJSON() as { limit?: number; sort?: unknown }
    if (body.sort === undefined) return route.continue()
    const answer = await route.fetch()
    await route.fulfill({ response: answer, json: { ...(await answer.json()), rows: [] } })
  })
  await page.reload()
  await page.getByTestId('plot').focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('status', { name: 'Chart reading' })).toHaveText(/^c16: /)
})

test('the same content is a duplicate, other content with its run id a conflict', async ({ page, folder, own }) => {
  const changed = read(own)
  changed.results.p99_ttft_ms += 1
  await page.goto(`${dashboard().url}/upload`)
  await page.getByTestId('files').setInputFiles([own, write(folder, 'changed.json', changed)])
  await expect(page.getByRole('row', { name: /ours\.json/ })).toContainText('same content')
  const conflict = page.getByRole('row').filter({ has: page.getByRole('rowheader', { name: 'changed.json' }) })
  await expect(conflict).toContainText('conflict')
  await expect(conflict).toContainText('already stored with different content')
  // the duplicate is one of the upload's results, the conflict is not
  const job = page.url().split('/').at(-1)
  await page.getByRole('link', { name: 'Explore the experiment that was already stored' }).click()
  await expect(page).toHaveURL(new RegExp(`\\?stored\\.upload=${job}$`))
  await expect(counted(page)).toHaveText(/1 of 2 experiments/)
  await expect(chips(page)).toHaveText(new RegExp(`upload ?${job}`))
  await page.goBack()
  await conflict.getByRole('link', { name: 'Open result' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('ours')
})

test('an experiment shows its verdict, figures, parameters by source, and the file', async ({ page, own }) => {
  const document = read(own)
  await page.goto(dashboard().url)
  await page.getByRole('link', { name: 'ours' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('ours')
  await expect(page.getByText('simulated', { exact: true }).first()).toBeVisible()
  const words: Record<string, string> = { trusted: 'Trusted', degraded: 'Degraded', client_limited: 'Client limited' }
  await expect(page.getByRole('region', { name: 'Verdict' })).toContainText(words[document.quality.verdict] as string)

  const parameters = page.getByRole('region', { name: 'Parameters' })
  await expect(parameters.getByRole('row', { name: /^max_model_len/ })).toContainText('2048')
  await expect(parameters.getByRole('row', { name: /^max_model_len/ })).toContainText('explicit')
  await parameters.getByRole('searchbox').fill('quantization')
  await expect(parameters.getByRole('row', { name: /^quantization unset/ })).toContainText('default')
  // a name may belong to the server and to the load; it appears once below its head
  await parameters.getByRole('searchbox').fill('model')
  await expect(parameters.getByRole('rowheader', { name: 'model', exact: true })).toHaveCount(2)
  const parts = await parameters.getByRole('row').evaluateAll((rows) => {
    const names: string[][] = []
    for (const row of rows) {
      if (row.querySelector('th[scope=colgroup]')) names.push([])
      else if (row.querySelector('th[scope=row]')) names.at(-1)?.push(row.querySelector('th')?.textContent ?? '')
    }
    return names
  })
  for (const part of parts) expect(part).toEqual([...new Set(part)])
  expect(parts.filter((part) => part.includes('model'))).toHaveLength(2)

  // twenty requests are enough for the interval of a median, but not for that of a p99 or a rate
  const metrics = page.getByRole('region', { name: 'Metrics', exact: true })
  await expect(metrics.getByRole('row', { name: /^median .* – / }).first()).toBeVisible()
  await expect(
    metrics.getByRole('row', { name: /^p99 / }).first().getByRole('img', { name: 'not recorded' }),
  ).toBeVisible()
  await expect(
    metrics.getByRole('row', { name: /^Request throughput/ }).getByRole('img', { name: 'not recorded' }),
  ).toBeVisible()
  await expect(
    metrics.getByRole('row', { name: /^Peak chunk rate/ }).getByRole('img', { name: 'not recorded' }),
  ).toBeVisible()
  await expect(
    page.getByRole('region', { name: 'Quality checks', exact: true }).getByRole('row', { name: /client_error/ }),
  ).toBeVisible()

  const tree = page.getByRole('region', { name: 'Result file as a tree' })
  await tree.getByRole('button', { name: 'config' }).click()
  await tree.getByRole('button', { name: 'server', exact: true }).click()
  await expect(tree.getByText('"sim/test"').first()).toBeVisible()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('region', { name: 'Result file' }).getByRole('link', { name: 'Download' }).click(),
  ])
  expect(JSON.parse(readFileSync(await download.path(), 'utf8')).run_id).toBe(document.run_id)
})

test('a trusted verdict has its sentence', async ({ page, folder, own }) => {
  const document = variant(read(own), { name: 'sound', verdict: 'trusted' })
  for (const check of document.quality.checks)
    if (check.status === 'over_limit' && check.effect !== 'info') check.status = 'passed'
  await page.goto(`${dashboard().url}/upload`)
  await page.getByTestId('files').setInputFiles(write(folder, 'sound.json', document))
  await page
    .getByRole('row', { name: /sound\.json/ })
    .getByRole('link', { name: 'Open' })
    .click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('sound')
  const { verdict_sentence: sentence } = await (
    await page.request.get(`${dashboard().url}/api/data/experiments/${document.run_id}`)
  ).json()
  expect(sentence.split('\n')).toHaveLength(3)
  const verdict = page.getByRole('region', { name: 'Verdict' })
  await expect(verdict).toContainText('Trusted')
  for (const one of sentence.split('\n')) await expect(verdict).toContainText(one)
  await expect(verdict.getByRole('listitem')).toHaveCount(0)
  // a check that the sentence names leads to its row
  await verdict.getByRole('link', { name: 'short_run' }).click()
  await expect(page.locator('tr:target')).toContainText('short_run')
  await expect(page.locator('tr:target')).toBeInViewport()
})

test('a file over the limit is refused before it is sent, with the reason of the server', async ({ page, folder }) => {
  const size = 64 * 1024 * 1024 + 1
  const path = join(folder, 'beyond.json')
  closeSync(openSync(path, 'w'))
  truncateSync(path, size)
  let sent = 0
  await page.route('**/api/upload/**', (route) => {
    if (route.request().method() === 'POST') sent += 1
    return route.continue()
  })
  await page.goto(`${dashboard().url}/upload`)
  await page.getByTestId('files').setInputFiles(path)
  const answer = await new Promise<{ status: number | undefined; text: string }>((resolve, reject) => {
    const asked = request(
      `${dashboard().url}/api/upload/raw`,
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Content-Length': size, Expect: '100-continue' },
      },
      (response) => {
        let text = ''
        response.on('data', (part: Buffer) => {
          text += part.toString()
        })
        response.on('end', () => resolve({ status: response.statusCode, text }))
      },
    )
    asked.on('error', reject)
    asked.flushHeaders()
  })
  expect(answer.status).toBe(413)
  const row = page.getByRole('row', { name: /beyond\.json/ })
  await expect(row).toContainText('too large')
  expect(JSON.parse(answer.text).detail).toContain('larger than 64 MiB')
  await expect(row).toContainText('larger than 64 MiB, the limit for one file')
  await expect(page.getByRole('region', { name: 'This upload' })).toContainText('0 of 1 file processed1 not sent')
  expect(sent).toBe(0)
})

test('checks of any shape leave an experiment readable', async ({ page }) => {
  await page.goto(dashboard().url)
  await page.getByRole('link', { name: 'odd' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('odd')
  const verdict = page.getByRole('region', { name: 'Verdict' })
  await expect(verdict).toContainText('client_error')
  await expect(verdict.getByRole('listitem')).toHaveText(/^Client errorvalue not recorded$/)
  await expect(page.getByRole('region', { name: 'Quality checks', exact: true }).getByRole('row')).toHaveCount(4)
})

test('a failed rendering or request is reported with a next step', async ({ page, complaints }) => {
  complaints.allow.push(/404/, /did not deliver a script/, /Experiment/)
  let isLost = true
  await page.route(/\/assets\/experiment-[^/]*\.js/, (route) =>
    isLost ? route.fulfill({ status: 404, body: '' }) : route.continue(),
  )
  await page.goto(dashboard().url)
  await page.getByRole('link', { name: 'ours' }).click()
  await expect(page.getByRole('heading', { name: 'Could not show this page' })).toBeVisible()
  await expect(page.getByRole('alert')).toHaveText('The server did not deliver a script of this page.')
  await page.getByRole('link', { name: 'Upload' }).click()
  await expect(page.getByRole('heading', { name: 'Upload', exact: true })).toBeVisible()
  await page.goBack()
  await expect(page.getByRole('heading', { name: 'Could not show this page' })).toBeVisible()
  isLost = false
  await page.getByRole('button', { name: 'Reload' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('ours')
  await page.goto(`${dashboard().url}/experiments/%25`)
  await expect(page.getByText('No experiment has this number or run ID.')).toBeVisible()
})

test('an upload that could not be loaded is retried', async ({ page, complaints }) => {
  complaints.allow.push(/ERR_FAILED/, /503/)
  const item = {
    index: 0,
    name: 'a.json',
    state: 'queued',
    form: null,
    id: null,
    run_id: null,
    message: null,
    faults: [],
    secrets: [],
    possible_duplicates: [],
    deleted: false,
    choice: null,
    bytes: 12,
    retryable: true,
  }
  const counts = { queued: 1, parsed: 0, valid: 0, stored: 0, duplicate: 0, conflict: 0, rejected: 0, cancelled: 0 }
  const job = {
    job_id: 'job-1',
    kind: 'batch',
    name: 'a.json',
    state: 'running',
    created_at: '2026-11-01T00:00:00Z',
    finished_at: null,
    expected: null,
    received: { files: 1, bytes: 12 },
    on_conflict: 'skip',
    counts,
    items: [],
    total: 1,
  }
  let asked = 0
  let isBack = false
  await page.route('**/api/upload/jobs/job-1/missing', (route) =>
    route.fulfill({ json: { results: 1, has_more: false, incomplete: 0, files: 0, bytes: 0 } }),
  )
  await page.route('**/api/upload/status/job-1?*', (route) => {
    const state = new URL(route.request().url()).searchParams.get('state')
    const done = { ...job, state: 'done', counts: { ...counts, queued: 0, stored: 1 } }
    if (state !== null)
      return route.fulfill({
        json: { ...(isBack ? done : job), items: [{ ...item, state, id: state === 'stored' ? 1 : null }] },
      })
    asked += 1
    if (asked === 1) return route.fulfill({ json: job })
    if (asked < 6)
      return asked % 2
        ? route.abort()
        : route.fulfill({
            status: 503,
            json: { type: 'about:blank', title: 'Busy', status: 503, detail: 'busy', instance: '' },
          })
    return isBack ? route.fulfill({ json: done }) : route.abort()
  })
  await page.clock.install()
  await page.goto(`${dashboard().url}/upload/job-1`)
  const row = page.getByRole('row', { name: /a\.json/ })
  await expect(row).toContainText('waiting')
  // pauses between requests take no time
  const after = (locator: Locator) =>
    expect.poll(async () => {
      await page.clock.runFor(1000)
      return locator.count()
    })
  await after(page.getByRole('alert').filter({ hasText: /Last updated at .* does not respond/ })).toBe(1)
  await expect(row).toContainText('waiting')
  isBack = true
  await after(row.filter({ hasText: 'stored' })).toBe(1)
  await expect(page.getByRole('alert')).toHaveCount(0)
})

test('a missing experiment or page is reported', async ({ page, complaints }) => {
  complaints.allow.push(/404/)
  await page.goto(`${dashboard().url}/experiments/exp_19700101_000000_000000`)
  await expect(page.getByText('No experiment has this number or run ID.')).toBeVisible()
  await page.goto(`${dashboard().url}/nowhere`)
  await expect(page.getByRole('heading', { name: 'Page not found' })).toBeVisible()
})

test('files whose long names differ at the end can be distinguished', async ({ page, folder, own }) => {
  const names = ['0.7__4995d7d', '1.0__5c3cc7e'].map(
    (end) => `team__results_of_a_model_with_a_long_name_bf16_11-rate-sweep-${end}.json`,
  )
  const paths = names.map((name, i) => write(folder, name, variant(read(own), { name: `long ${i}` })))
  await page.goto(`${dashboard().url}/upload`)
  await drop(page, paths)
  for (const name of names) {
    const cell = page.getByRole('rowheader').and(page.getByTitle(name))
    await expect(cell).toContainText(name.slice(-17))
    expect(await cell.evaluate((element) => element.scrollWidth - element.clientWidth)).toBeLessThan(1)
  }
})
