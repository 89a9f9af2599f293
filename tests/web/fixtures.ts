// A dashboard of its own for each file of tests in each worker, and a page that must not complain: no error, nothing
// that the server's policy refused, no request to another host.
import AxeBuilder from '@axe-core/playwright'
import { type BrowserContext, expect, type Page, test as base } from '@playwright/test'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { ownResult, program } from './results'

export { expect }

export class Dashboard {
  private process: ChildProcess | undefined
  url = ''

  constructor(readonly folder: string) {}

  // Before it serves, as `profllm-dashboard import` does it.
  import(...paths: string[]) {
    execFileSync(program('profllm-dashboard'), ['import', '--db', join(this.folder, 'results.db'), ...paths], {
      stdio: 'pipe',
    })
  }

  // Again at the same address, where it was ended.
  async start() {
    const port = this.url === '' ? '0' : new URL(this.url).port
    const child = spawn(
      program('profllm-dashboard'),
      ['serve', '--db', join(this.folder, 'results.db'), '--port', port],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    this.process = child
    // all but who can reach it, which each of some hundred servers says
    child.stderr?.on('data', (part: Buffer) => {
      process.stderr.write(part.toString().replace(/^.*every user of this host.*\n/gm, ''))
    })
    this.url = await new Promise((resolve, reject) => {
      let said = ''
      child.stdout?.on('data', (part: Buffer) => {
        said += part.toString()
        const found = /listening on (http:\S+)\n/.exec(said)
        if (found) resolve(found[1] as string)
      })
      child.on('exit', (code) => reject(new Error(`profllm-dashboard ended with ${code}`)))
    })
  }

  async stop(signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM') {
    const child = this.process
    this.process = undefined
    if (!child) return
    const ended = new Promise((resolve) => child.once('exit', resolve))
    child.kill(signal)
    await ended
  }
}

interface PerWorker {
  own: string // a result of ours
  folder: string
}

interface PerTest {
  quiet: undefined
  complaints: { allow: RegExp[]; heard: string[] }
}

export const test = base.extend<PerTest, PerWorker>({
  folder: [
    async ({}, use) => {
      const folder = mkdtempSync(join(tmpdir(), 'profllm-web-'))
      await use(folder)
      rmSync(folder, { recursive: true, force: true })
    },
    { scope: 'worker' },
  ],
  own: [
    async ({ folder }, use) => {
      await use(await ownResult(folder))
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  complaints: async ({}, use) => {
    await use({ allow: [], heard: [] })
  },
  // of the page that a test is given, and of all that it opens by hand
  quiet: [
    async ({ browser, context, complaints }, use) => {
      const { heard, allow } = complaints
      const listen = (page: Page) => {
        page.on('console', (message) => {
          if (['error', 'warning'].includes(message.type())) heard.push(message.text())
        })
        page.on('pageerror', (error) => heard.push(error.message))
        page.on('request', (request) => {
          if (!/^(http:\/\/127\.0\.0\.1|data:|blob:)/.test(request.url())) heard.push(`asked ${request.url()}`)
        })
      }
      const watch = (one: BrowserContext) => {
        one.on('page', listen)
      }
      watch(context)
      browser.on('context', watch)
      await use(undefined)
      browser.off('context', watch)
      expect(heard.filter((text) => !allow.some((allowed) => allowed.test(text)))).toEqual([])
    },
    { auto: true },
  ],
})

// One for all tests of a file that one worker runs, in their order, started by the first that needs it.
export function useDashboard(prepare?: (dashboard: Dashboard, own: string) => void | Promise<void>) {
  const holder: { dashboard?: Dashboard } = {}
  test.beforeAll(async ({ folder, own }) => {
    const dashboard = new Dashboard(mkdtempSync(join(folder, 'store-')))
    await prepare?.(dashboard, own)
    await dashboard.start()
    holder.dashboard = dashboard
  })
  test.afterAll(async () => {
    await holder.dashboard?.stop()
  })
  return () => holder.dashboard as Dashboard
}

// Returns the names in the first column, row by row.
export const names = (page: Page) => page.getByRole('rowheader').getByRole('link').allInnerTexts()
// The line that says how many there are; it is also what a screen reader hears.
export const counted = (page: Page) => page.getByRole('main').getByRole('status').filter({ hasText: 'experiments' })
export const filters = (page: Page) => page.getByRole('complementary', { name: 'Filters' })
// A box in a group of the filters, by what it is called: as a person presses it, on its line.
export const tick = (page: Page, group: string, name: RegExp) =>
  filters(page)
    .getByRole('group', { name: group, exact: true })
    .locator('label', { has: page.getByRole('checkbox', { name }) })
    .click()
export const chips = (page: Page) => page.getByRole('grid', { name: 'Active filters' }).getByRole('row')

// Returns what axe finds, of any impact. Checks only the first 11 rows of a table, because rows are similar and an
// experiment has more than a thousand. Legacy mode: the page has no frames, so no second page is needed to merge
// results.
export async function soundness(page: Page, rules?: string[]) {
  // a dialog hides the page from screen readers, with its heading and its landmarks
  const ofPage =
    (await page.locator('[role=dialog][data-modal]').count()) > 0 ? ['landmark-one-main', 'page-has-heading-one'] : []
  const builder = new AxeBuilder({ page })
    .setLegacyMode()
    .options({ resultTypes: ['violations'] })
    .exclude('tr:nth-child(n + 12)')
  const { violations } = await (rules
    ? builder.withRules(rules)
    : builder.withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'])
  ).analyze()
  return violations
    .filter(({ id }) => !ofPage.includes(id))
    .map(
      ({ id, nodes }) =>
        `${id}: ${nodes
          .map((node) => node.html)
          .slice(0, 3)
          .join(' | ')}`,
    )
}
