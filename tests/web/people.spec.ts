// Use by keyboard, on a phone, in the dark theme, with a screen reader, and with hostile texts.
import type { Page } from '@playwright/test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { chips, counted, expect, filters, names, soundness, test, useDashboard } from './fixtures'
import { read, variant, write } from './results'

const HOSTILE =
  '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>\u202Egnp.evil\u0000"\',.. ~!'.replace(
    '\u0000',
    '',
  )
const LONG = 'long-'.repeat(60)

const dashboard = useDashboard((store, own) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  const base = read(own)
  const values = [
    { name: 'alpha', tensor_parallel_size: 2, verdict: 'trusted' },
    { name: 'beta', tensor_parallel_size: 4, verdict: 'degraded' },
    { name: 'gamma', tensor_parallel_size: 2, verdict: 'client_limited' },
    { name: HOSTILE, model: HOSTILE, gpu_name: HOSTILE, tensor_parallel_size: 1, verdict: 'trusted' },
    { name: LONG, model: LONG, tensor_parallel_size: 1, verdict: 'trusted' },
  ]
  for (const [i, one] of values.entries()) write(folder, `${i}.json`, variant(base, one))
  store.import(folder)
})

// Presses Tab until an element with that name has the focus.
async function tabTo(page: Page, name: RegExp) {
  for (let i = 0; i < 200; i++) {
    await page.keyboard.press('Tab')
    const label = await page.evaluate(() => {
      const element = document.activeElement as HTMLElement | null
      return element?.getAttribute('aria-label') ?? (element?.closest('label') ?? element)?.textContent ?? ''
    })
    if (name.test(label)) return
  }
  throw new Error(`no Tab leads to ${name}`)
}

test('by keyboard: filter, sort, open a row, return', async ({ page }) => {
  await page.goto(dashboard().url)
  await expect(counted(page)).toHaveText('5 of 5 experiments')
  await page.keyboard.press('f')
  await expect(filters(page).getByRole('searchbox').first()).toBeFocused()
  await page.keyboard.type('tensor parallel size')
  await expect(filters(page).getByRole('group', { name: 'Tensor parallel size', exact: true })).toBeVisible()
  await tabTo(page, /^Parallelism/) // all fields are one stop: arrows move within it
  for (let i = 0; i < 2; i++) await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Space')
  await expect(counted(page)).toHaveText('2 of 5 experiments')
  await expect(chips(page)).toHaveCount(1)

  await tabTo(page, /^(alpha|gamma)$/)
  await page.keyboard.press('ArrowUp')
  while (!/^Verdict/.test(await page.evaluate(() => document.activeElement?.textContent ?? '')))
    await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('columnheader', { name: /Verdict/ })).toHaveAttribute('aria-sort', 'ascending')
  await expect.poll(() => names(page)).toEqual(['alpha', 'gamma']) // best first
  await page.keyboard.press('j')
  await expect(page.getByRole('link', { name: 'alpha' })).toBeFocused()
  await page.keyboard.press('j')
  await expect(page.getByRole('link', { name: 'gamma' })).toBeFocused()
  await page.keyboard.press('k')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('alpha')
  await page.goBack()
  await expect(counted(page)).toHaveText('2 of 5 experiments')

  await page.keyboard.press('c')
  const columns = page.getByRole('dialog', { name: 'Columns' })
  await expect(columns.getByRole('searchbox')).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(columns).toHaveCount(0)
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Help and keys' })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.keyboard.press('/')
  await expect(page.getByRole('dialog').getByRole('searchbox')).toBeFocused()
  await page.keyboard.type('beta')
  await expect(page.getByRole('option')).toHaveText([/^beta/]) // what a part of the word finds is gone
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('beta')
})

test('keys of one letter can be switched off', async ({ page }) => {
  await page.goto(dashboard().url)
  await expect(counted(page)).toBeVisible()
  await page.getByRole('button', { name: 'Help and keys' }).click()
  await page.getByText('Single-letter shortcuts').click()
  await page.keyboard.press('Escape')
  await page.keyboard.press('c')
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog')).toHaveCount(0)
})

test('a chosen theme is kept', async ({ page }) => {
  await page.emulateMedia({ colorScheme: 'light' })
  await page.goto(dashboard().url)
  const ground = () => page.evaluate(() => getComputedStyle(document.querySelector('main') as Element).backgroundColor)
  const light = await ground()
  await page.getByRole('button', { name: 'Theme: system' }).click()
  await page.getByRole('button', { name: 'Theme: light' }).click()
  await expect(page.getByRole('button', { name: 'Theme: dark' })).toBeVisible()
  expect(await ground()).not.toBe(light)
  await page.reload()
  await expect(page.getByRole('button', { name: 'Theme: dark' })).toBeVisible()
  expect(await ground()).not.toBe(light)
})

test('hostile text is shown as text', async ({ page }) => {
  await page.goto(dashboard().url)
  // the row is named by its model, without what is before the last slash
  await expect(page.getByRole('link', { name: HOSTILE })).toHaveText(/^script>.*~!$/)
  await expect(page.getByRole('gridcell', { name: HOSTILE }).first()).toHaveText(HOSTILE)
  await expect(page).toHaveTitle('Explore · ProfLLM')
  const model = filters(page).getByRole('group', { name: 'Model', exact: true }).first()
  await model.getByText(HOSTILE).click()
  await expect(counted(page)).toHaveText('1 of 5 experiments')
  await expect(chips(page)).toContainText([HOSTILE])
  await page.reload() // the address carries it
  await expect(page.getByRole('rowheader').getByRole('link', { name: HOSTILE })).toHaveCount(1)
  await page.getByRole('link', { name: HOSTILE }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(HOSTILE)
  await expect(page).toHaveTitle(`${HOSTILE} · ProfLLM`.replace(/\s+/g, ' '))
  await page.goto(dashboard().url)
  // the page never scrolls sideways, whatever a name is
  await page.getByRole('link', { name: LONG }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(LONG)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
})

test('on a phone: cards, and the filters in a drawer', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  const page = await context.newPage()
  await page.goto(dashboard().url)
  await expect(page.getByRole('grid', { name: 'Experiments' })).toHaveCount(0)
  await expect(page.getByRole('listitem').filter({ hasText: 'beta' })).toContainText('degraded')
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
  await page.getByRole('button', { name: /^Filters/ }).tap()
  const drawer = page.getByRole('dialog', { name: 'Filters' })
  await drawer.getByRole('group', { name: 'Verdict', exact: true }).getByText('degraded').tap()
  // the drawer shows how many experiments a choice leaves, and so does the line above the chart
  await drawer.getByRole('button', { name: 'Show 1 experiment', exact: true }).tap()
  await expect(drawer).toHaveCount(0)
  for (const name of ['Copy link', 'Export'])
    await expect(
      page.getByRole('toolbar', { name: 'Filter tools' }).getByRole('button', { name, exact: true }),
    ).toBeInViewport({ ratio: 1 })
  await page.getByRole('button', { name: /^Filters/ }).tap()
  await drawer.getByRole('button', { name: 'Edit filter tree', exact: true }).tap()
  await expect(
    page.getByRole('region', { name: 'Filter as a tree' }).getByRole('group', { name: 'Condition on Verdict' }),
  ).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
  await page.getByRole('button', { name: 'Done' }).tap()
  await expect(counted(page)).toHaveText('1 of 5 experiments')
  expect(await soundness(page)).toEqual([])
  await page.getByRole('link', { name: 'beta' }).tap()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('beta')
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
  await context.close()
})

test('on a phone: an order and columns, by touch and by keyboard', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  const page = await context.newPage()
  await page.goto(dashboard().url)
  const sort = page.getByRole('button', { name: /^Sort: / })
  const card = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) })
  await expect(sort).toHaveText(/Started, newest first$/)
  // until the chart is drawn, everything below it moves, and a tap may hit another element
  await expect(page.getByRole('region', { name: 'Chart', exact: true })).toHaveAttribute('aria-busy', 'false')
  await sort.tap()
  const sheet = page.getByRole('dialog', { name: 'Sort' })
  await sheet.getByRole('option', { name: /^Tensor parallel size/ }).tap()
  await sheet.getByText('descending').tap()
  expect(await soundness(page)).toEqual([])
  await sheet.getByRole('button', { name: 'Done' }).tap()
  await expect(sort).toHaveText(/TP, descending$/)
  await expect(page.getByRole('listitem').first()).toContainText('beta')

  await sort.focus()
  await page.keyboard.press('Enter')
  await tabTo(page, /^Tensor parallel size/)
  await page.keyboard.press('ArrowDown')
  await expect(sheet.getByRole('option', { name: /^Verdict/ })).toBeFocused()
  await expect(sheet.getByRole('option', { name: /^Tensor parallel size/ })).toHaveAttribute('aria-selected', 'true')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await expect(sheet).toHaveCount(0)
  await expect(sort).toHaveText(/^Sort: Verdict, /)
  await expect(sort).toBeFocused()
  await sort.tap()
  await sheet.getByRole('searchbox').fill('max concurrency')
  await sheet
    .getByRole('option', { name: /^Max concurrency/i })
    .first()
    .tap()
  await sheet.getByRole('button', { name: 'Done' }).tap()
  await expect(card('alpha')).toContainText('Concur.') // what they are sorted by

  await page.getByRole('button', { name: /^Columns/ }).tap()
  const columns = page.getByRole('dialog', { name: 'Columns' })
  await columns.getByRole('searchbox').fill('max model len')
  await columns.getByTitle(/^server\.max_model_len\n/).tap()
  await columns.getByRole('searchbox').fill('')
  await columns.getByRole('button', { name: 'Hide P99 TTFT' }).tap()
  expect(await soundness(page)).toEqual([])
  await columns.getByRole('button', { name: 'Done' }).tap()
  await expect(card('alpha')).toContainText(/Max model len\s*2048/)
  await expect(card('alpha')).not.toContainText('P99 TTFT')
  expect(await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)).toBe(0)
  await context.close()
})
