// Annotations that belong to some lines of Trends.
import type { APIRequestContext, Page } from '@playwright/test'

import { expect, soundness, test, useDashboard } from './fixtures'
import { AFTER, history } from './history'
import { type Document, read, variant } from './results'

const AT_ONCE = 20 // results of one upload

async function upload(request: APIRequestContext, url: string, documents: Document[]) {
  for (let at = 0; at < documents.length; at += AT_ONCE) {
    const answer = await request.post(`${url}/api/upload/batch`, { data: documents.slice(at, at + AT_ONCE) })
    expect(answer.ok(), await answer.text()).toBe(true)
  }
}

const dashboard = useDashboard()
test.beforeAll(async ({ own, request }) => {
  const base = read(own)
  const lonely = variant(base, { name: 'tp1', tensor_parallel_size: 1, max_concurrency: 64, gpu_name: 'NVIDIA H200' })
  lonely.environment.engine = { ...lonely.environment.engine, simulated: false, name: 'vllm', version: AFTER }
  await upload(request, dashboard().url, [...history(base, 5), lonely])
})

const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
test('an annotation for one value of a field is drawn only at lines with that value', async ({ page }) => {
  const { url } = dashboard()
  const added = await page.request.post(`${url}/api/annotations`, {
    data: { version: AFTER, text: 'only here', field: 'server.tensor_parallel_size', value: 4 },
  })
  expect(added.ok(), await added.text()).toBe(true)
  await page.goto(`${url}/trends`)
  const chart = region(page, 'Chart')
  await expect(chart.locator('[data-flag="1"]')).toHaveCount(1)
  const of = await chart.locator('[data-flag="1"]').getAttribute('data-of')
  await expect(region(page, 'Annotations')).toContainText('only lines with server.tensor_parallel_size 4')
  await page.goto(`${url}/trends?series=${encodeURIComponent(of ?? '')}`)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/TP 4/)
  await expect(chart.locator('[data-flag="1"]')).toHaveCount(1)
  await page.getByRole('complementary', { name: 'Verdicts' }).locator('summary', { hasText: 'Stable' }).click()
  await page.getByRole('complementary', { name: 'Verdicts' }).getByRole('link', { name: /TP 2/ }).first().click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/TP 2/)
  await expect(chart.getByRole('slider')).toBeVisible()
  await expect(chart.locator('[data-flag]')).toHaveCount(0)
})
