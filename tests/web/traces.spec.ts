// Traces of an experiment: files, the summary, and the hand-off to Perfetto, which only a click that says so begins.
import type { Page } from '@playwright/test'

import { expect, soundness, test, useDashboard } from './fixtures'
import { little, write } from './results'

const HOSTILE = '<img src=x onerror=alert(1)>\u202eevil'
const event = (cat: string, name: string, ts: number, dur: number) => ({ ph: 'X', cat, name, ts, dur, pid: 0, tid: 7 })
const trace = (...kernels: ReturnType<typeof event>[]) =>
  Buffer.from(JSON.stringify({ traceEvents: [event('cpu_op', 'aten::mm', 0, 400), ...kernels] }))
const RANKS = [
  trace(event('kernel', 'gemm', 100, 50), event('kernel', HOSTILE, 200, 25)),
  trace(event('kernel', 'all_reduce', 0, 300)),
]

const dashboard = useDashboard((store) => {
  const missing = { kind: 'trace', name: 'r.trace.rank2.json', size: 5, sha256: 'b'.repeat(64) }
  store.import(write(store.folder, '1.json', { ...little(1), artifacts: [missing] }))
  store.import(write(store.folder, '2.json', little(2)))
  store.import(write(store.folder, '3.json', little(3)))
})

const traces = (page: Page) => page.getByRole('region', { name: 'Traces', exact: true })
const table = (page: Page, name: string) => traces(page).getByRole('region', { name, exact: true }).getByRole('row')
const button = (page: Page, name: string) => traces(page).getByRole('button', { name, exact: true })

async function open(page: Page, more = '') {
  const { url } = dashboard()
  for (const [rank, data] of RANKS.entries()) {
    const sent = await page.request.put(`${url}/api/upload/artifact/run_001/trace/r.trace.rank${rank}.json`, {
      data,
      headers: { 'Content-Type': 'application/octet-stream' },
    })
    expect(sent.ok()).toBe(true)
  }
  await page.goto(`${url}/experiments/1${more}`)
  await traces(page).scrollIntoViewIfNeeded()
}

test('the files have rank, size and hash, and the summary is of the one in the address', async ({ page }) => {
  await open(page)
  const files = table(page, 'Traces table')
  await expect(files.nth(1)).toContainText(/^r\.trace\.rank0\.json0\d+ B[0-9a-f]{12}Summary below/)
  await expect(files.nth(2)).toContainText(/^r\.trace\.rank1\.json1\d+ B/)
  await expect(files.nth(3)).toContainText(/^r\.trace\.rank2\.json–5 Bbbbbbbbbbbbbnot uploaded/)
  await expect(traces(page)).toContainText('3 complete eventsspan 0.4 msGPU busy 18.8 %')
  await expect(table(page, 'Top kernels').nth(1)).toHaveText('gemm10.05066.7 %')
  await expect(table(page, 'Top kernels').nth(2)).toContainText('<img src=x onerror=alert(1)>�evil')
  await expect(table(page, 'Longest operations').nth(1)).toHaveText(/^aten::mmcpu_op0(\.0+)?0\.400?$/)
  await button(page, 'Summary of r.trace.rank1.json').click()
  await expect(traces(page)).toContainText('GPU busy 75.0 %')
  await page.reload()
  await traces(page).scrollIntoViewIfNeeded()
  await expect(table(page, 'Top kernels').nth(1)).toContainText('all_reduce')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    traces(page).getByRole('link', { name: 'r.trace.rank1.json' }).click(),
  ])
  expect(download.suggestedFilename()).toBe('r.trace.rank1.json')
  await expect(traces(page).getByRole('link', { name: 'Download all 2' })).toHaveAttribute(
    'href',
    /traces\/1\?all=true$/,
  )
  expect(await soundness(page)).toEqual([])
})

test('a table of vLLM is downloaded, and not summarized', async ({ page }) => {
  const { url } = dashboard()
  await page.request.put(`${url}/api/upload/artifact/run_003/trace/a.rank0.profiler_out.txt`, {
    data: Buffer.from('Name  Self CPU %'),
    headers: { 'Content-Type': 'application/octet-stream' },
  })
  await page.request.put(`${url}/api/upload/artifact/run_003/trace/b.rank0.json`, {
    data: RANKS[0],
    headers: { 'Content-Type': 'application/octet-stream' },
  })
  await page.goto(`${url}/experiments/3`)
  await traces(page).scrollIntoViewIfNeeded()
  const files = table(page, 'Traces table')
  await expect(files.nth(1)).toHaveText(/^a\.rank0\.profiler_out\.txt016 B[0-9a-f]{12}–$/)
  await expect(files.nth(2)).toContainText('Summary below')
  await expect(traces(page)).toContainText('GPU busy 18.8 %')
  await expect(traces(page).getByRole('alert')).toHaveCount(0)
})

test('a busy share that is not known is not an absence of kernels', { tag: '@long' }, async ({ page }) => {
  await page.route('**/api/data/experiments/*/traces/*', async (route) => {
    const answer = await route.fetch()
    await route.fulfill({ json: { ...(await answer.json()), gpus: [], gpu_busy_share: null } })
  })
  await open(page)
  await expect(traces(page)).toContainText('GPU busy – (too many separate kernels)')
  await expect(table(page, 'Top kernels').nth(1)).toContainText('gemm')
})

test('a file leaves the host only after a click that says so', async ({ page, context, complaints }) => {
  const asked: string[] = []
  complaints.allow.push(/^asked https:\/\/ui\.perfetto\.dev\//)
  await context.route('https://ui.perfetto.dev/**', (route) => {
    asked.push(route.request().url())
    return route.fulfill({
      contentType: 'text/html',
      body: `<title>Perfetto</title><p id=got></p><script>
        addEventListener('message', ({ data, source, origin }) => {
          if (data === 'PING') source.postMessage('PONG', origin)
          else got.textContent = data.perfetto.title + ' ' + new TextDecoder().decode(data.perfetto.buffer)
        })
      </script>`,
    })
  })
  await open(page)
  await button(page, 'Open in Perfetto… r.trace.rank0.json').click()
  await expect(traces(page)).toContainText('leaves this host.')
  await button(page, 'Cancel').click()
  await expect(traces(page)).not.toContainText('leaves this host.')
  expect(asked).toEqual([])
  await button(page, 'Open in Perfetto… r.trace.rank0.json').click()
  const opened = context.waitForEvent('page')
  await button(page, 'Send to ui.perfetto.dev').click()
  const perfetto = await opened
  await expect(perfetto.locator('#got')).toContainText('r.trace.rank0.json {"traceEvents":[')
  await expect(traces(page)).toContainText('Sent to ui.perfetto.dev.')
  expect(asked).toEqual(['https://ui.perfetto.dev/'])
})

test('a file that is not a trace has a cause instead of a summary; a result without traces has no section', {
  tag: '@long',
}, async ({ page, complaints }) => {
  complaints.allow.push(/422/)
  const { url } = dashboard()
  await page.goto(`${url}/experiments/2`)
  await expect(page.getByRole('region', { name: 'Commands', exact: true })).toBeVisible()
  await expect(traces(page)).toHaveCount(0)
  await page.request.put(`${url}/api/upload/artifact/run_002/trace/odd.json`, {
    data: Buffer.from('not JSON'),
    headers: { 'Content-Type': 'application/octet-stream' },
  })
  await page.goto(`${url}/experiments/2`)
  await traces(page).scrollIntoViewIfNeeded()
  await expect(traces(page).getByRole('alert')).toContainText('Could not summarize the trace.')
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page)
  await expect(traces(page)).toContainText('GPU busy')
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
})
