// The states of Pareto, for states.ts.
import { expect, type Page } from '@playwright/test'

import { OLD } from './frontiers'
import { hold, main, settle } from './settle'
import type { State, World } from './states'

const TTFT = 'limits=results.p99_ttft_ms<=400,derived.tokens_per_s_per_user>=50'

const pareto =
  (query: string, then?: (page: Page) => Promise<unknown>) =>
  async (page: Page, { frontiers: { url } }: World) => {
    await page.goto(`${url}/pareto?${query}`)
    await settle(page, main(page).getByRole('region', { name: 'Chart' }))
    await then?.(page)
    await settle(page)
  }

export const PARETO_STATES: State[] = [
  { page: 'Pareto', name: 'frontiers', open: pareto(''), prints: true },
  {
    page: 'Pareto',
    name: 'no results',
    open: async (page, { empty }) => {
      await page.goto(`${empty.url}/pareto`)
      await settle(page, main(page).getByText('No results yet.'))
    },
  },
  {
    page: 'Pareto',
    name: 'limits',
    open: pareto(TTFT, (page) => expect(main(page).getByText(/of \d+ configurations keep all limits/)).toBeVisible()),
  },
  {
    page: 'Pareto',
    name: 'the filter removes all',
    open: async (page, { frontiers: { url } }) => {
      await page.goto(`${url}/pareto?server.model=none`)
      await settle(page, main(page).getByText('The filter removes all experiments.'))
    },
  },
  { page: 'Pareto', name: 'as a table', open: pareto(`table=1&${TTFT}`) },
  { page: 'Pareto', name: 'the capacity for a load', open: pareto(`load=900&${TTFT}`) },
  { page: 'Pareto', name: 'as of a release', open: pareto(`release=${OLD}`) },
  {
    page: 'Pareto',
    name: 'a definition',
    open: pareto('', async (page) => {
      await main(page)
        .getByRole('button', { name: /Hypervolume: definition/ })
        .first()
        .click()
      await expect(page.getByRole('dialog', { name: 'Hypervolume' })).toBeVisible()
    }),
  },
  {
    page: 'Pareto',
    name: 'no metrics',
    open: async (page, { frontiers: { url } }) => {
      await page.goto(`${url}/pareto?metrics=results.p90_itl_ms,derived.output_throughput_per_gpu`)
      await settle(page, main(page).getByText(/^No result has both/))
    },
  },
  {
    page: 'Pareto',
    name: 'inputs that differ',
    open: pareto('group=none', async (page) => {
      await main(page).getByRole('button', { name: 'Details' }).first().click()
      await expect(page.getByRole('dialog', { name: 'Inputs that differ' })).toBeVisible()
    }),
  },
  {
    page: 'Pareto',
    name: 'a laboratory without repeats',
    open: async (page, { full: { url } }) => {
      await page.goto(`${url}/pareto`)
      await settle(page, main(page).getByRole('region', { name: 'Chart' }))
    },
  },
  {
    page: 'Pareto',
    name: 'loading',
    open: async (page, world) => {
      await hold(page, '**/api/analysis/pareto')
      await page.goto(`${world.frontiers.url}/pareto`)
      await expect(main(page).getByRole('status')).toBeVisible()
    },
  },
  {
    page: 'Pareto',
    name: 'failed',
    open: async (page, world) => {
      await page.route('**/api/analysis/pareto', (route) =>
        route.fulfill({
          status: 500,
          json: { type: 'about:blank', title: 'Failed', status: 500, detail: 'no memory' },
        }),
      )
      await page.goto(`${world.frontiers.url}/pareto`)
      await settle(page, main(page).getByRole('alert'))
    },
    complains: /500/,
  },
  { page: 'Pareto', name: 'phone', isPhone: true, open: pareto(TTFT) },
]
