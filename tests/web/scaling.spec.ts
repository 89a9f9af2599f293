// Scaling: how many GPUs pay. Repeated results of two configurations over four sizes are read, opened and compared.
import type { Page } from '@playwright/test'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { expect, soundness, test, useDashboard } from './fixtures'
import { read, write } from './results'
import { sizes } from './sizes'

const dashboard = useDashboard((store, own) => {
  const files = mkdtempSync(join(store.folder, 'files-'))
  for (const [at, document] of sizes(read(own)).entries()) write(files, `${at}.json`, document)
  store.import(files)
})

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

async function open(page: Page, query = '') {
  await page.goto(`${dashboard().url}/scaling?${query}`)
  await expect(region(page, 'Sizes table')).toBeVisible()
}

test('lines of two configurations, a definition by keyboard, a command and a comparison', async ({ page }) => {
  await open(page)
  await expect(page).toHaveTitle('Scaling · ProfLLM')
  await expect(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Scaling' })).toHaveAttribute(
    'aria-current',
    'page',
  )
  const main = page.getByRole('main')
  await expect(main).toContainText('24 of 24 experiments')
  await expect(main).toContainText('2 lines with several sizes')
  await expect(region(page, 'Lines')).toContainText('every size pays: no gain is below 50 %')
  await expect(region(page, 'Lines')).toContainText('stops paying after 2 (surely): each GPU up to 4')
  await expect(region(page, 'Charts').getByRole('img')).toHaveCount(6)
  await expect(region(page, 'Sizes table').getByRole('row')).toHaveCount(9)
  expect(await soundness(page)).toEqual([])

  const efficiency = page.getByRole('button', { name: /Efficiency: definition/ }).last()
  await efficiency.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Efficiency' })).toContainText('3 runs')
  await expect(page.getByRole('dialog', { name: 'Efficiency' })).toContainText('%')
  await page.keyboard.press('Escape')
  await expect(efficiency).toBeFocused()

  await page
    .getByRole('button', { name: /^Show the command, .*TP 8$/ })
    .first()
    .press('Enter')
  await expect(page).toHaveURL(/[?&]point=\d+$/)
  await expect(region(page, 'Server command')).toContainText('--tensor-parallel-size 8')
  const compare = region(page, 'Configuration').getByRole('link', { name: 'Compare with the smallest size' })
  await expect(compare).toHaveAttribute('href', /^\/compare\?side=/)
  expect(await soundness(page)).toEqual([])
})

test('another axis, metric, limit and concurrency are in the address', async ({ page }) => {
  await open(page)
  await page.getByRole('combobox', { name: 'Size' }).selectOption('tensor')
  await expect(page).toHaveURL(/axis=tensor/)
  await expect(region(page, 'Sizes table').getByRole('columnheader', { name: 'Tensor parallel size' })).toBeVisible()
  await page.getByRole('combobox', { name: 'Limit of the gain' }).selectOption('0.9')
  await expect(page).toHaveURL(/gain=0.9/)
  await page.getByRole('button', { name: 'Take the best concurrency of each size' }).click()
  await expect(page.getByRole('main')).toContainText('1 line with several sizes')
  await expect(region(page, 'Sizes table')).toContainText('next to the line')
  await page.reload()
  await expect(page.getByRole('combobox', { name: 'Limit of the gain' })).toHaveValue('0.9')
  await page.goBack()
  await expect(page.getByRole('main')).toContainText('2 lines with several sizes')
})

test('a limit of 12.5 %, the keys, a pin, the inputs that differ and the files', async ({ page }) => {
  await open(page, 'gain=0.125')
  await expect(page.getByRole('combobox', { name: 'Limit of the gain' })).toContainText(
    'pays from 12.5 % of an ideal GPU',
  )
  await expect(region(page, 'Lines')).toContainText('every size pays: no gain is below 12.5 %')

  await page.getByRole('heading', { level: 1 }).click()
  await page.keyboard.press('j')
  await expect(region(page, 'Configuration')).toContainText('TP 1')
  await page.keyboard.press('j')
  await expect(region(page, 'Configuration')).toContainText('TP 2')
  await region(page, 'Configuration')
    .getByRole('button', { name: /^Pin to compare: / })
    .click()
  await expect(region(page, 'Sizes table').locator('tr[aria-current]')).toContainText('2 A')
  await expect(region(page, 'Charts').locator('text').filter({ hasText: /^A$/ })).toHaveCount(6)
  await page.keyboard.press('k')
  await expect(region(page, 'Configuration')).toContainText('TP 1')

  // the arrows reach each control of the axes, also after a select
  await page.getByRole('combobox', { name: 'Size' }).focus()
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('button', { name: /^Metric:/ })).toBeFocused()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await expect(page.getByRole('radio', { name: 'Log' })).toBeFocused()
  await expect(page.getByRole('combobox', { name: 'Size' })).toHaveValue('gpus')

  // a mark of a chart opens its configuration
  const mark = region(page, 'Charts').locator('g[data-line] path[transform]').last()
  await mark.click()
  await expect(page).toHaveURL(/[?&]point=\d+/)

  await page.getByRole('note').getByRole('button', { name: 'Details' }).press('Enter')
  const differ = page.getByRole('dialog', { name: 'Inputs that differ' })
  await expect(differ.getByRole('heading', { name: 'Differing inputs' })).toBeVisible()
  expect(await soundness(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(page.getByRole('note').getByRole('button', { name: 'Details' })).toBeFocused()

  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export' }).click()
  await page.getByRole('menuitem', { name: 'CSV' }).click()
  const lines = readFileSync(await (await saved).path(), 'utf8')
    .trimEnd()
    .split('\r\n')
  expect(lines[2]).toMatch(/^line,gpus,layout,on_line,ids,run_count,gpus,gpus_source,ideal,results\.output_throughput/)
  expect(lines).toHaveLength(3 + 8)
})

test('one size, no result and a failure say what to do', async ({ page }) => {
  await page.goto(`${dashboard().url}/scaling?server.tensor_parallel_size=2`)
  await expect(page.getByRole('main')).toContainText('All results have one size: GPUs 2.')
  expect(await soundness(page)).toEqual([])
  await page.goto(`${dashboard().url}/scaling?axis=pipeline`)
  await page.getByRole('button', { name: 'Show Tensor parallel size (1, 2, 4, 8)' }).click()
  await expect(region(page, 'Sizes table')).toBeVisible()
  await page.goto(`${dashboard().url}/scaling?server.model=none`)
  await expect(page.getByRole('main')).toContainText('The filter removes all experiments.')
  await page.getByRole('button', { name: 'Clear filter' }).last().click()
  await expect(region(page, 'Sizes table')).toBeVisible()
})

test('a failed request keeps Retry', async ({ page, complaints }) => {
  complaints.allow.push(/500/)
  await page.route('**/api/analysis/scaling', (route) =>
    route.fulfill({ status: 500, json: { type: 'about:blank', title: 'Failed', status: 500, detail: 'no memory' } }),
  )
  await page.goto(`${dashboard().url}/scaling`)
  await expect(page.getByRole('alert')).toContainText('Could not load the lines.')
  await page.unroute('**/api/analysis/scaling')
  await page.getByRole('button', { name: 'Retry' }).click()
  await expect(region(page, 'Sizes table')).toBeVisible()
})

test('failed fields keep their cause after Retry', async ({ page, complaints }) => {
  complaints.allow.push(/500/)
  await page.route('**/api/fields', (route) =>
    route.fulfill({ status: 500, json: { type: 'about:blank', title: 'Failed', status: 500, detail: 'no memory' } }),
  )
  await page.goto(`${dashboard().url}/scaling`)
  const alert = page.getByRole('alert')
  await expect(alert).toContainText('No memory.')
  const asked = page.waitForResponse('**/api/fields')
  await alert.getByRole('button', { name: 'Retry' }).click()
  await asked
  await expect(alert).toContainText('No memory.')
  await page.unroute('**/api/fields')
  await alert.getByRole('button', { name: 'Retry' }).click()
  await expect(region(page, 'Sizes table')).toBeVisible()
})

test.describe('phone', () => {
  test.use({ viewport: { width: 390, height: 844 } })
  test('fits', async ({ page }) => {
    await open(page)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
    expect(await soundness(page)).toEqual([])
  })
})

test.describe('dark', () => {
  test.use({ colorScheme: 'dark' })
  // without @long, states.spec.ts checks the dark colors of the page
  test('has enough contrast', { tag: '@long' }, async ({ page }) => {
    await open(page)
    expect(await soundness(page)).toEqual([])
  })
})
