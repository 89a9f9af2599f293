// The states of Trends, for states.ts.
import { expect, type Page } from '@playwright/test'

import { hold, main, settle } from './settle'
import type { State, World } from './states'

const trends =
  (query: string, then?: (page: Page) => Promise<unknown>) =>
  async (page: Page, { trends: { url } }: World) => {
    await page.goto(`${url}/trends?${query}`)
    await settle(page, main(page).getByRole('region', { name: 'Chart' }))
    await then?.(page)
    await settle(page)
  }

const releases =
  (query: string, then?: (page: Page) => Promise<unknown>) =>
  async (page: Page, { trends: { url } }: World) => {
    await page.goto(`${url}/trends?show=releases${query}`)
    await settle(page, main(page).getByRole('region', { name: 'Summary', exact: true }))
    await then?.(page)
    await settle(page)
  }

// Watches of the server's own would have other times in each picture.
const COUNTS = { series: 24, regression: 2, suspect: 1 }
const WATCHES = [
  {
    id: 1,
    revision: 1,
    name: 'nightly',
    question: { filter: { field: 'run.suite', op: 'eq', value: 'nightly' }, order: { by: 'version' } },
    fail_on: 'regression',
    author: 'ann',
    created_at: '2026-11-20T08:00:00.000Z',
    changed_at: '2026-11-20T08:00:00.000Z',
    state: {
      state: 'regression',
      failed: true,
      message: null,
      counts: COUNTS,
      series: [
        {
          state: 'regression',
          key: 'a:results.p99_ttft_ms',
          metric: 'results.p99_ttft_ms',
          metric_label: 'P99 TTFT',
          label: 'TP 4, Concur. 64',
          ratio: 1.25,
          since: '0.32.0',
        },
      ],
      since_at: '2026-11-21T08:00:00.000Z',
      checked_at: '2026-11-22T08:00:00.000Z',
      data_version: 7,
    },
    history: [
      { changed_at: '2026-11-21T08:00:00.000Z', state: 'regression', failed: true, counts: COUNTS },
      {
        changed_at: '2026-11-20T08:00:00.000Z',
        state: 'stable',
        failed: false,
        counts: { ...COUNTS, regression: 0, suspect: 0 },
      },
    ],
  },
  {
    id: 2,
    revision: 1,
    name: 'not asked yet',
    question: {},
    fail_on: 'suspect',
    author: null,
    created_at: '2026-11-20T08:00:00.000Z',
    changed_at: '2026-11-20T08:00:00.000Z',
    state: null,
    history: [],
  },
]
const watches = (list: object[]) => async (page: Page, world: World) => {
  await page.route('**/api/analysis/watches', (route) => route.fulfill({ json: { watches: list } }))
  await page.goto(`${world.trends.url}/trends?show=watches`)
  await settle(page, main(page).getByRole('region', { name: 'Stored watches' }))
  for (const summary of await main(page).locator('summary').all()) await summary.click()
  await settle(page)
}

// Opens an entry of the list; `group` is the one that it is in.
const SLOWER = /regression.*P99 TTFT.*TP 4/
const series = (entry: RegExp, then?: (page: Page) => Promise<unknown>, group?: string) =>
  trends('', async (page) => {
    const list = page.getByRole('complementary', { name: 'Verdicts' })
    if (group) await list.locator('summary', { hasText: group }).click()
    await list.getByRole('link', { name: entry }).click()
    await settle(page, main(page).getByRole('region', { name: 'Reasons' }))
    await then?.(page)
  })

export const TRENDS_STATES: State[] = [
  {
    page: 'Trends',
    name: 'no results',
    open: async (page, { empty }) => {
      await page.goto(`${empty.url}/trends`)
      await settle(page, main(page).getByText('No results yet.'))
    },
  },
  { page: 'Trends', name: 'overview', open: trends(''), prints: true },
  {
    page: 'Trends',
    name: 'the filter removes all',
    open: async (page, world) => {
      await page.goto(`${world.trends.url}/trends?server.model=none`)
      await settle(page, main(page).getByText('The filter removes all series.'))
    },
  },
  { page: 'Trends', name: 'by time, with bands', open: trends('by=time&band=p10_p90&values=median') },
  { page: 'Trends', name: 'a chart per series', open: trends('each=1') },
  { page: 'Trends', name: 'lines as a table', open: trends('table=1') },
  { page: 'Trends', name: 'a regression', open: series(SLOWER), prints: true },
  {
    page: 'Trends',
    name: 'a regression as a table',
    open: series(SLOWER, (page) => page.getByRole('button', { name: 'Show as table' }).click()),
  },
  { page: 'Trends', name: 'a stable series', open: series(/^Median TPOT · TP 2/, undefined, 'Stable') },
  {
    page: 'Trends',
    name: 'too few runs',
    open: series(/^Median TTFT · TP 8, Concur. 16/, undefined, 'Insufficient data'),
  },
  {
    page: 'Trends',
    name: 'too few runs of all series',
    open: async (page, world) => {
      await page.goto(`${world.trends.url}/trends?benchmark.max_concurrency=16`)
      await settle(page, main(page).getByText('No series has enough runs for a verdict.'))
    },
  },
  {
    page: 'Trends',
    name: 'annotation being added',
    open: trends('', (page) => page.getByRole('button', { name: 'Add annotation' }).click()),
  },
  {
    page: 'Trends',
    name: 'no such series',
    open: async (page, world) => {
      await page.goto(`${world.trends.url}/trends?series=none`)
      await settle(page, main(page).getByRole('alert'))
    },
  },
  { page: 'Trends', name: 'two releases', open: releases(''), prints: true },
  {
    page: 'Trends',
    name: 'two releases, a cell opened',
    open: releases('', (page) => page.locator('[data-cell] a').first().click()),
  },
  { page: 'Trends', name: 'two releases as a table', open: releases('&table=1&metric=results.output_throughput') },
  { page: 'Trends', name: 'two releases, phone', isPhone: true, open: releases('') },
  {
    page: 'Trends',
    name: 'one release',
    open: async (page, world) => {
      await page.goto(`${world.trends.url}/trends?show=releases&environment.engine.version=0.32.0`)
      await settle(page, main(page).getByText('A comparison needs two.'))
    },
  },
  {
    page: 'Trends',
    name: 'two releases, failed',
    open: async (page, world) => {
      await page.route('**/api/analysis/releases', (route) =>
        route.fulfill({
          status: 500,
          json: { type: 'about:blank', title: 'Failed', status: 500, detail: 'no memory' },
        }),
      )
      await page.goto(`${world.trends.url}/trends?show=releases`)
      await settle(page, main(page).getByRole('alert'))
    },
    complains: /500/,
  },
  { page: 'Trends', name: 'no watches', open: watches([]) },
  { page: 'Trends', name: 'watches', open: watches(WATCHES) },
  { page: 'Trends', name: 'watches, phone', isPhone: true, open: watches(WATCHES) },
  {
    page: 'Trends',
    name: 'loading',
    open: async (page, world) => {
      await hold(page, '**/api/analysis/regression')
      await page.goto(`${world.trends.url}/trends`)
      await expect(main(page).getByRole('status')).toBeVisible()
    },
  },
  {
    page: 'Trends',
    name: 'failed',
    open: async (page, world) => {
      await page.route('**/api/analysis/regression', (route) =>
        route.fulfill({
          status: 500,
          json: { type: 'about:blank', title: 'Failed', status: 500, detail: 'no memory' },
        }),
      )
      await page.goto(`${world.trends.url}/trends`)
      await settle(page, main(page).getByRole('alert'))
    },
    complains: /500/,
  },
  { page: 'Trends', name: 'phone', isPhone: true, open: series(SLOWER) },
  { page: 'Trends', name: 'phone, overview', isPhone: true, open: trends('') },
]
