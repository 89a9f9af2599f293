// Helpers of the states of pages (states.ts).
import { expect, type Locator, type Page } from '@playwright/test'

export const main = (page: Page) => page.locator('#main')

// Blocks the responses to these requests.
export const hold = (page: Page, requests: string) => page.route(requests, () => {})

// Waits until nothing loads and the page does not change for two frames.
export async function settle(page: Page, ...shown: Locator[]) {
  for (const one of shown) await expect(one.first()).toBeVisible()
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
  await page.evaluate(() =>
    document.fonts.ready.then(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))),
  )
}
