// How much of a window each part takes, and that nothing leaves its box.
import type { Page } from '@playwright/test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { counted, expect, test, useDashboard } from './fixtures'
import { read, variant, write } from './results'

const RUNS = 40

const dashboard = useDashboard((store, own) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  const base = read(own)
  for (let i = 0; i < RUNS; i++) {
    const document = variant(base, { name: `layout-${i}`, tensor_parallel_size: 2 ** (i % 4), max_concurrency: 2 ** (i % 7), gpu_name: i % 2 ? 'NVIDIA H200' : 'NVIDIA B200', output_throughput: 900 + i * 37, p99_ttft_ms: 100 + i * 11, verdict: i % 5 ? 'trusted' : 'degraded' })
    write(folder, `${i}.json`, document)
  }
  store.import(folder)
})

async function explore(page: Page, query = '') {
  await page.goto(`${dashboard().url}/${query}`)
  await expect(counted(page)).toContainText('experiments')
  await expect(page.getByTestId('plot')).toBeVisible()
}

// How far the document can be scrolled, and has been.
const scrolled = (page: Page) => page.evaluate(() => ({ extra: document.documentElement.scrollHeight - window.innerHeight, top: Math.round(window.scrollY) }))
const STILL = { extra: 0, top: 0 }

test('Explore itself never scrolls: not by the wheel, a key, a skip or the focus of a hidden box', async ({ page }) => {
  await explore(page, '?fields=all')
  expect(await scrolled(page)).toEqual(STILL)
  await page.getByTestId('plot').hover()
  await page.mouse.wheel(0, 4000)
  for (const key of ['Space', 'End']) await page.locator('body').press(key)
  await page.getByRole('complementary', { name: 'Filters' }).getByRole('checkbox').last().focus()
  expect(await scrolled(page)).toEqual(STILL)
  await page.getByRole('link', { name: 'Skip to the content' }).press('Enter')
  expect(await scrolled(page)).toEqual(STILL)
  await expect(page.getByTestId('plot')).toBeInViewport({ ratio: 1 })
})
