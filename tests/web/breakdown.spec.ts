// Where the time went: the bars, their tables, and what is said where there is no split.
import type { Page } from '@playwright/test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { expect, follow, IS_LONG, soundness, test, useDashboard } from './fixtures'
import { read, variant, write } from './results'

const PART = { client: 0.5, network: 1, front_end: 8.5, queue: 40, prefill: 30 }

function parts(low: Record<string, number>, total: number) {
  const found: Record<string, number> = { total_ms: total }
  for (const [key, value] of Object.entries(low)) found[`${key}_low_ms`] = found[`${key}_high_ms`] = value
  found['unattributed_ms'] = total - Object.values(low).reduce((sum, value) => sum + value, 0)
  return found
}

const dashboard = useDashboard((store, own) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  const base = read(own)
  for (const name of ['split', 'limits', 'none', 'older']) {
    const document = variant(base, { name })
    const breakdown = document.results.latency_breakdown
    Object.assign(breakdown, { state: 'exact', reason: null, requests: 20, busy_before: false, same_host: false })
    Object.assign(breakdown.ttft, parts(PART, 100), { network_high_ms: 21, front_end_high_ms: 28.5 })
    Object.assign(breakdown.e2el, parts({ ...PART, decode: 400 }, 480))
    Object.assign(breakdown.server.queue, { count: 20, mean_ms: 40, median_low_ms: 0, median_high_ms: 300 })
    Object.assign(breakdown.server.queue, { p99_low_ms: 7680, p99_high_ms: null })
    if (name === 'limits') Object.assign(breakdown, { state: 'bounded', reason: 'counted_more', busy_before: true })
    if (name === 'none') Object.assign(breakdown, { state: 'none', reason: 'restarted' })
    if (name === 'older') delete document.results.latency_breakdown
    write(folder, `${name}.json`, document)
  }
  store.import(folder)
})

const section = (page: Page) => page.getByRole('region', { name: 'Where the time went', exact: true })

async function open(page: Page, name: string, go = (address: string): Promise<unknown> => page.goto(address)) {
  const { url } = dashboard()
  for (let id = 1; ; id++) {
    const answer = await page.request.get(`${url}/api/data/experiments/${id}`)
    expect(answer.ok()).toBe(true)
    const { run_id, fields } = await answer.json()
    if (fields['run.name']?.value !== name) continue
    await go(`${url}/experiments/${run_id}`)
    await expect(page.getByRole('heading', { level: 1, name, exact: true })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Quality checks' })).toBeVisible()
    return
  }
}

test('a bar for each latency has the shares of its parts, and the table has their limits', async ({ page }) => {
  await open(page, 'split')
  const ttft = section(page).getByRole('img', { name: /^TTFT, mean 100/ })
  await expect(ttft).toHaveAccessibleName(/Engine queue 40 %, Prefill 30 %, Not attributed 20 %$/)
  const whole = (await ttft.boundingBox()) as { width: number }
  const queue = (await ttft.locator('[data-part="queue"]').boundingBox()) as { width: number }
  expect(queue.width / whole.width).toBeCloseTo(0.4, 1)
  await expect(section(page).getByRole('img', { name: /^E2EL, mean 480/ })).toHaveAccessibleName(/Decode 83 %$/)
  const row = (name: string) => section(page).getByRole('row', { name: new RegExp(`^${name}`) })
  await expect(row('Front end')).toContainText('8.5 ms – 28.5 ms')
  await expect(row('Engine queue')).toContainText('40 ms')
  await expect(row('Not attributed')).toContainText('20 ms')
  await expect(section(page).getByRole('row', { name: /^Queue/ })).toContainText(/0 ms – 300 ms.*≥ 7/)
  await expect(section(page)).toContainText('Nothing measures where the network ends')
  if (IS_LONG) expect(await soundness(page)).toEqual([])
})

test('a reason is given where the parts have limits, or there is no split', { tag: '@long' }, async ({ page }) => {
  await open(page, 'limits')
  await expect(section(page)).toContainText('The parts have limits, because the server counted more requests')
  await expect(section(page)).toContainText('Requests of others ran or waited at the server before the run.')
  const go = (address: string) => follow(page, address)
  await open(page, 'none', go)
  await expect(section(page)).toContainText('cannot be split, because the server restarted during the run.')
  await expect(section(page).getByRole('img')).toHaveCount(0)
  await expect(section(page).getByRole('row', { name: /^Front end/ })).toHaveCount(0)
  await open(page, 'older', go)
  await expect(section(page)).toHaveCount(0)
})
