// A dashboard per test file and worker, and a page that fails the test on console errors, policy violations and
// requests to other hosts.
import AxeBuilder from '@axe-core/playwright'
import { type BrowserContext, expect, type Page, type TestInfo, test as base } from '@playwright/test'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { cpuSeconds, isCounted } from './cpu'
import { ownResult, program } from './results'

export { expect }

// `make test-long`
export const IS_LONG = process.env['PROFLLM_TEST_LONG'] === '1'

export class Dashboard {
  private process: ChildProcess | undefined
  url = ''
  options: string[] = [] // of serve

  constructor(readonly folder: string) {}

  // Imports before the server starts, with `profllm-dashboard import`.
  import(...paths: string[]) {
    execFileSync(program('profllm-dashboard'), ['import', '--db', join(this.folder, 'results.db'), ...paths], {
      stdio: 'pipe',
    })
  }

  // Restarts a stopped server at the same address.
  async start() {
    const port = this.url === '' ? '0' : new URL(this.url).port
    const child = spawn(
      program('profllm-dashboard'),
      ['serve', '--db', join(this.folder, 'results.db'), '--port', port, ...this.options],
      { stdio: ['ignore', 'pipe', 'pipe'] },
    )
    this.process = child
    // except the warning about access, which each of some hundred servers prints
    child.stderr?.on('data', (part: Buffer) => {
      process.stderr.write(
        part.toString().replace(/^.*(every user of this host|every request needs|: audit: ).*\n/gm, ''),
      )
    })
    this.url = await new Promise((resolve, reject) => {
      let said = ''
      child.stdout?.on('data', (part: Buffer) => {
        said += part.toString()
        const found = /listening on (https?:\S+)\n/.exec(said)
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
  cpu: undefined
  quiet: undefined
  complaints: { allow: RegExp[]; heard: string[] }
}

let counted_s = 0 // CPU seconds of this worker that a test has

// Adds the CPU seconds since the last call to the test, for `tools/run-tests --cpu`. A name counts a part of the test.
export function count(info: TestInfo, name = '') {
  if (!isCounted) return
  const total_s = cpuSeconds()
  info.annotations.push({ type: 'cpu', description: `${(total_s - counted_s).toFixed(2)} ${name}` })
  counted_s = total_s
}

export const test = base.extend<PerTest, PerWorker>({
  // for `tools/run-tests --cpu`: what this worker used since its previous test, hooks included
  cpu: [
    async ({}, use, info) => {
      await use(undefined)
      count(info)
    },
    { auto: true },
  ],
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
  // of the test's own page and of pages that it opens
  quiet: [
    async ({ browser, context, complaints }, use) => {
      const { heard, allow } = complaints
      const listen = (page: Page) => {
        page.on('console', (message) => {
          if (['error', 'warning'].includes(message.type())) heard.push(message.text())
        })
        page.on('pageerror', (error) => heard.push(error.message))
        page.on('request', (request) => {
          if (!/^(https?:\/\/127\.0\.0\.1|data:|blob:)/.test(request.url())) heard.push(`asked ${request.url()}`)
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

// One server per file and worker; the first test that needs it starts it.
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

// Goes to another address of the web UI as its links do, which costs less than a load of the page.
export async function follow(page: Page, address: string) {
  await page.evaluate((to) => history.pushState(null, '', to), address)
  await expect(page).toHaveURL(address)
}

// Returns the names in the first column, row by row.
export const names = (page: Page) => page.getByRole('rowheader').getByRole('link').allInnerTexts()
// The line with the number of experiments; screen readers announce it.
export const counted = (page: Page) => page.getByRole('main').getByRole('status').filter({ hasText: 'experiments' })
export const filters = (page: Page) => page.getByRole('complementary', { name: 'Filters' })
// A checkbox in a group of the filters, by its label; a click on its line toggles it.
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
