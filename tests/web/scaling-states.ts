// The states of Scaling, for states.ts.
import { expect, type Page } from '@playwright/test'

import { hold, main, settle } from './settle'
import type { State, World } from './states'

const scaling =
  (query: string, then?: (page: Page) => Promise<unknown>) =>
  async (page: Page, { sizes: { url } }: World) => {
    await page.goto(`${url}/scaling?${query}`)
    await settle(page, main(page).getByRole('region', { name: 'Sizes table' }))
    await then?.(page)
    await settle(page)
  }

const command = async (page: Page) => {
  await main(page)
    .getByRole('button', { name: /^Show the command, / })
    .first()
    .click()
  await expect(main(page).getByRole('region', { name: 'Configuration', exact: true })).toBeVisible()
}

export const SCALING_STATES: State[] = [
  { page: 'Scaling', name: 'lines over GPUs', open: scaling(''), prints: true },
  { page: 'Scaling', name: 'a configuration', open: scaling('', command) },
  { page: 'Scaling', name: 'another axis and limit', open: scaling('axis=tensor&gain=0.9') },
  {
    page: 'Scaling',
    name: 'a definition',
    open: scaling('', async (page) => {
      await main(page)
        .getByRole('button', { name: /Efficiency: definition/ })
        .last()
        .click()
      await expect(page.getByRole('dialog', { name: 'Efficiency' })).toBeVisible()
    }),
  },
  {
    page: 'Scaling',
    name: 'one size',
    open: async (page, { sizes: { url } }) => {
      await page.goto(`${url}/scaling?server.tensor_parallel_size=2`)
      await settle(page, main(page).getByText('All results have one size'))
    },
  },
  {
    page: 'Scaling',
    name: 'no results',
    open: async (page, { empty: { url } }) => {
      await page.goto(`${url}/scaling`)
      await settle(page, main(page).getByText('No results yet.'))
    },
  },
  {
    page: 'Scaling',
    name: 'the filter removes all',
    open: async (page, { sizes: { url } }) => {
      await page.goto(`${url}/scaling?server.model=none`)
      await settle(page, main(page).getByText('The filter removes all experiments.'))
    },
  },
  {
    page: 'Scaling',
    name: 'loading',
    open: async (page, { sizes: { url } }) => {
      await hold(page, '**/api/analysis/scaling')
      await page.goto(`${url}/scaling`)
      await expect(main(page).getByRole('status')).toBeVisible()
    },
  },
  { page: 'Scaling', name: 'phone', isPhone: true, open: scaling('', command) },
]
