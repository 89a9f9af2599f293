// The states of Live, for states.ts.
import type { Page } from '@playwright/test'

import { keepReporting, report, snapshot } from './live'
import { main, settle } from './settle'
import type { State, World } from './states'

const reporting = new Set<string>()
async function startRuns({ full: { url } }: World) {
  if (reporting.has(url)) return
  reporting.add(url)
  keepReporting(url, 'llama70-h200-r8-2', (seconds) => ({
    requests: { in_flight: Math.round(38 + 6 * Math.sin(seconds)) },
  }))
  keepReporting(url, 'qwen72-b200-c128', () => ({
    phase: { name: 'starting', step: 'loading weights', done: [] },
    requests: { done: 0, failed: 0, in_flight: null, remaining_s: null },
    rates: { sent_per_s: null, done_per_s: null, output_tokens_per_s: null },
    ttft_ms: { n: 0, median: null, low: null, high: null },
    tpot_ms: { n: 0, median: null, low: null, high: null },
    server: { running: null, waiting: null, kv_cache_percent: null },
    client: { late_median_ms: null, late_p99_ms: null },
    errors: [],
    verdict: { state: 'unknown', over_limit: 0, passed: 0, sentence: null, reasons: [] },
  }))
  await report(url, snapshot('gptoss-h100-c32', 80, { verdict: { state: 'trusted', reasons: [] }, errors: [] }))
  const ended = { exit_status: 4, state: 'launch_failed', sentence: 'no room for the KV cache' }
  await report(
    url,
    snapshot('llama70-h200-r9', 1, {
      phase: { name: 'ended' },
      requests: { done: 0, failed: 0 },
      verdict: { state: 'unknown', sentence: null, reasons: [] },
      errors: [],
      ended,
    }),
  )
}
const live =
  (path: string, shown: string, then?: (page: Page) => Promise<unknown>) => async (page: Page, world: World) => {
    await startRuns(world)
    await page.goto(`${world.full.url}/live${path}`)
    await settle(page, main(page).getByText(shown))
    await then?.(page)
    await settle(page)
  }

export const LIVE_STATES: State[] = [
  {
    page: 'Live',
    name: 'none',
    open: async (page, { empty }) => {
      await page.goto(`${empty.url}/live`)
      await settle(page, main(page).getByText('profllm run').first())
    },
  },
  { page: 'Live', name: 'list', open: live('', 'not running, as far as is known') },
  { page: 'Live', name: 'measuring', open: live('/llama70-h200-r8-2', 'Degraded so far'), prints: true },
  { page: 'Live', name: 'starting', open: live('/qwen72-b200-c128', 'No verdict so far') },
  {
    page: 'Live',
    name: 'paused, table',
    open: live('/llama70-h200-r8-2?table=1', 'Degraded so far', (page) =>
      page.getByRole('button', { name: 'Pause' }).click(),
    ),
  },
  { page: 'Live', name: 'silent', open: live('/gptoss-h100-c32', 'Not running, as far as is known.') },
  { page: 'Live', name: 'ended', open: live('/llama70-h200-r9', 'no room for the KV cache') },
  {
    page: 'Live',
    name: 'unknown',
    open: async (page, { full }) => {
      await page.goto(`${full.url}/live/none`)
      await settle(page, main(page).getByText('No run with this ID'))
    },
    complains: /404/,
  },
  { page: 'Live', name: 'phone', isPhone: true, open: live('/llama70-h200-r8-2', 'Degraded so far') },
  { page: 'Live', name: 'phone, list', isPhone: true, open: live('', 'not running, as far as is known') },
]
