// The states of Impact, for states.ts.
import { expect, type Page } from '@playwright/test'

import { hold, main, settle } from './settle'
import type { State, World } from './states'

const impact =
  (query: string, then?: (page: Page) => Promise<unknown>) =>
  async (page: Page, { effects: { url } }: World) => {
    await page.goto(`${url}/impact?${query}`)
    await settle(page, main(page).getByRole('region', { name: 'Chart' }))
    await then?.(page)
    await settle(page)
  }

const pairs = (page: Page) => expect(main(page).getByRole('region', { name: 'Pairs table' })).toBeVisible()

export const IMPACT_STATES: State[] = [
  { page: 'Impact', name: 'effects', open: impact(''), prints: true },
  { page: 'Impact', name: 'pairs', open: impact('input=server.quantization', pairs) },
  { page: 'Impact', name: 'as a table', open: impact('table=1') },
  { page: 'Impact', name: 'ignored inputs', open: impact('vary=environment.hostname,environment.gpu_driver') },
  {
    page: 'Impact',
    name: 'a definition',
    open: impact('', async (page) => {
      await main(page)
        .getByRole('button', { name: /, Effect of Quantization on .*: definition/ })
        .first()
        .click()
      await expect(page.getByRole('dialog', { name: /^Effect of Quantization/ })).toBeVisible()
    }),
  },
  {
    page: 'Impact',
    name: 'inputs that never vary',
    open: impact('', async (page) => {
      await main(page)
        .getByText(/inputs never vary/)
        .click()
    }),
  },
  {
    page: 'Impact',
    name: 'no results',
    open: async (page, { empty }) => {
      await page.goto(`${empty.url}/impact`)
      await settle(page, main(page).getByText('No results yet.'))
    },
  },
  {
    page: 'Impact',
    name: 'the filter removes all',
    open: async (page, { effects: { url } }) => {
      await page.goto(`${url}/impact?server.model=none`)
      await settle(page, main(page).getByText('The filter removes all experiments.'))
    },
  },
  {
    page: 'Impact',
    name: 'no metric',
    open: async (page, { effects: { url } }) => {
      await page.goto(`${url}/impact?metric=results.request_goodput`)
      await settle(page, main(page).getByText(/^No result has a value above 0/))
    },
  },
  {
    page: 'Impact',
    name: 'too few runs',
    open: impact('run.name=llama70-bf16-tp1-c16-1', (page) =>
      expect(main(page)).toContainText('No effect can be measured'),
    ),
  },
  {
    page: 'Impact',
    name: 'a laboratory',
    open: async (page, { full: { url } }) => {
      await page.goto(`${url}/impact`)
      await settle(page, main(page).getByRole('region', { name: 'Chart' }))
    },
  },
  {
    page: 'Impact',
    name: 'loading',
    open: async (page, world) => {
      await hold(page, '**/api/analysis/impact')
      await page.goto(`${world.effects.url}/impact`)
      await expect(main(page).getByRole('status')).toBeVisible()
    },
  },
  {
    page: 'Impact',
    name: 'failed',
    open: async (page, world) => {
      await page.route('**/api/analysis/impact', (route) =>
        route.fulfill({
          status: 500,
          json: { type: 'about:blank', title: 'Failed', status: 500, detail: 'no memory' },
        }),
      )
      await page.goto(`${world.effects.url}/impact`)
      await settle(page, main(page).getByRole('alert'))
    },
    complains: /500/,
  },
  { page: 'Impact', name: 'phone', isPhone: true, open: impact('input=server.quantization', pairs) },
]
