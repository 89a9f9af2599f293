// The log and the commands of an experiment: the cause is shown first, a search goes from match to match, the address
// has the line, and text from a server stays text.
import type { Page } from '@playwright/test'

import { expect, follow, IS_LONG, soundness, test, useDashboard } from './fixtures'
import { read, variant, vllmResult, write } from './results'
import { failedLaunch } from './states'

const CAUSE = 2400
const HOSTILE = '<img src=x onerror="document.title=`pwned`"> \x1b[31mred\x1b[0m \u202eevil'

const textOf = (line: number) =>
  line === CAUSE
    ? 'ERROR 07-01 10:00:00 [core.py:1] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2 GiB'
    : line === 2398
      ? HOSTILE
      : line === 17
        ? `WARNING a long line ${'x'.repeat(5000)}`
        : `INFO 07-01 10:00:00 [loggers.py:118] step ${line}`
const LINES = Array.from({ length: 3000 }, (_, i) => textOf(i + 1))
const LOG = Buffer.from(`${LINES.join('\n')}\n`)

const dashboard = useDashboard(async (store, own) => {
  const base = read(own)
  const failed = read(failedLaunch(store.folder))
  const named = (name: string, document: typeof base) => store.import(write(store.folder, `${name}.json`, document))
  named('1', variant(base, { name: 'completed' })) // 1
  const error = { ...failed.error, cause: 'out_of_memory', log_line: 'torch.OutOfMemoryError: CUDA out of memory.' }
  named('2', { ...variant(failed, { name: 'failed' }), error, artifacts: [] }) // 2
  named('3', { ...variant(failed, { name: 'tail' }), artifacts: [] }) // 3
  named('4', {
    ...variant(base, { name: 'not uploaded' }),
    artifacts: [{ kind: 'server_log', name: 'r.server.log', size: 5, sha256: 'b'.repeat(64) }],
  }) // 4
  store.import(await vllmResult(store.folder)) // 5
  const secret = variant(base, { name: 'secret' })
  secret.config.experiment = {
    ...secret.config.experiment,
    launch: { ...secret.config.experiment.launch, env: { HF_TOKEN: '***', NOTE: '<b> \u202eevil' } },
  }
  named('6', secret) // 6
})

const log = (page: Page) => page.getByRole('region', { name: 'Server log', exact: true })
const row = (page: Page, line: number) => log(page).locator(`[data-line="${line}"]`)
const field = (page: Page) => log(page).getByRole('searchbox', { name: 'Search the log' })
const commands = (page: Page) => page.getByRole('region', { name: 'Commands', exact: true })

// Scrolls to the lines.
async function seen(page: Page) {
  await log(page).scrollIntoViewIfNeeded()
  await expect(row(page, 3000)).toBeAttached()
  await log(page).evaluate((section) => section.scrollIntoView())
}

async function open(page: Page, id: number, hash = '', go = (address: string): Promise<unknown> => page.goto(address)) {
  const url = dashboard().url
  if (id < 3) {
    const { run_id } = await (await page.request.get(`${url}/api/data/experiments/${id}`)).json()
    const sent = await page.request.put(`${url}/api/upload/artifact/${run_id}/server_log/r.server.log`, {
      data: LOG,
      headers: { 'Content-Type': 'application/octet-stream' },
    })
    expect(sent.ok()).toBe(true)
  }
  await go(`${url}/experiments/${id}${hash}`)
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
}

test('a failure shows the line of its cause first, and text of a log stays text', async ({ page }) => {
  await open(page, 2)
  const cause = row(page, CAUSE)
  await expect(cause).toBeInViewport()
  await expect(cause).toContainText('Cause')
  await expect(cause).toContainText('CUDA out of memory')
  await expect(log(page).getByRole('heading')).toBeVisible()
  // cause and remedy, the log, and then the rest; no empty charts
  const order = await page.locator('#main section').evaluateAll((all) => all.map(({ id }) => id || 'failure'))
  expect(order.slice(0, 2)).toEqual(['failure', 'log'])
  await expect(page.locator('#metrics, #timeline canvas')).toHaveCount(0)
  await expect(row(page, 2398)).toContainText('<img src=x onerror="document.title=`pwned`"> ␛[31mred␛[0m �evil')
  await expect(log(page).locator('img')).toHaveCount(0)
  expect(await page.title()).not.toContain('pwned')
  expect(await soundness(page)).toEqual([])
})

test('pages and searches of a log', async ({ page }) => {
  await open(page, 1)
  await seen(page)
  await expect(row(page, 3000)).toBeInViewport()
  await expect(row(page, 2801)).toHaveCount(1)
  await expect(log(page).getByText(/3,000 lines, /)).toBeVisible()
  await log(page).getByRole('button', { name: 'Earlier' }).click()
  await expect(row(page, 2601)).toHaveCount(1)
  await expect(row(page, 2800)).toBeInViewport()
  await expect(row(page, 2801)).toHaveCount(0)
  await log(page).getByRole('button', { name: 'Start' }).click()
  await expect(row(page, 1)).toBeInViewport()
  await expect(log(page).getByRole('button', { name: 'Start' })).toBeDisabled()
  await expect(row(page, 17)).toContainText(/x… \S+ \w+ more in the file/)
  await log(page).getByRole('button', { name: 'Later' }).click()
  await expect(row(page, 201)).toBeInViewport()
  await log(page).getByRole('button', { name: 'End' }).click()
  await expect(row(page, 3000)).toBeInViewport()

  // a search goes from match to match
  await field(page).fill('STEP 100')
  const expected = LINES.flatMap((text, i) => (text.includes('step 100') ? [i + 1] : []))
  await expect(log(page).getByRole('status')).toHaveText(`1 of ${expected.length}`)
  await expect(row(page, expected[0] as number)).toBeInViewport()
  await expect(row(page, expected[0] as number).locator('mark')).toHaveText('step 100')
  await field(page).press('Enter')
  await expect(log(page).getByRole('status')).toHaveText(`2 of ${expected.length}`)
  await expect(row(page, expected[1] as number)).toBeInViewport()
  await field(page).press('Shift+Enter')
  await field(page).press('Shift+Enter')
  await expect(log(page).getByRole('status')).toHaveText(`${expected.length} of ${expected.length}`)
  await log(page).getByRole('button', { name: 'Next match' }).click()
  await expect(log(page).getByRole('status')).toHaveText(`1 of ${expected.length}`)
  expect(new URL(page.url()).hash).toBe(`#log-L${expected[0]}&find=STEP%20100`)
  await field(page).fill('nowhere at all')
  await expect(log(page).getByRole('status')).toHaveText('No line contains this text')
  await field(page).fill('.*')
  await expect(log(page).getByRole('status')).toHaveText('No line contains this text')
  if (IS_LONG) expect(await soundness(page)).toEqual([])
})

test('an address leads to a line', { tag: '@long' }, async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(page, 1, '#log-L1234')
  await expect(row(page, 1234)).toBeInViewport()
  await expect(row(page, 1234)).toHaveAttribute('data-chosen', 'true')
  await row(page, 1236).getByRole('link').click()
  await expect(row(page, 1236)).toHaveAttribute('data-chosen', 'true')
  expect(new URL(page.url()).hash).toBe('#log-L1236')
  await log(page).getByRole('button', { name: 'Copy link' }).click()
  await expect(log(page).getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/#log-L1236$/)
  // by keyboard: the lines are one stop, in which arrows move
  await row(page, 1236).getByRole('link').focus()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await expect(row(page, 1237)).toHaveAttribute('data-chosen', 'true')
  await page.reload()
  await expect(row(page, 1237)).toBeInViewport()
})

test('only the tail, only a name, and no log', { tag: '@long' }, async ({ page }) => {
  await open(page, 3)
  await expect(log(page).getByText(/Only the end is in the result: \d+ lines?/)).toBeVisible()
  await expect(log(page).getByText('no room for the KV cache')).toBeVisible()
  const go = (address: string) => follow(page, address)
  await open(page, 4, '', go)
  await expect(log(page).getByText('r.server.log was not uploaded.')).toBeVisible()
  await open(page, 5, '', go)
  await expect(commands(page)).toBeAttached()
  await expect(log(page)).toHaveCount(0)
})

test('a log that cannot be loaded is loaded again', { tag: '@long' }, async ({ page, complaints }) => {
  complaints.allow.push(/503/)
  const path = '**/api/data/experiments/*/log?*'
  await page.route(path, (route) =>
    route.fulfill({ status: 503, contentType: 'application/problem+json', body: '{"status":503,"detail":"busy"}' }),
  )
  await open(page, 2)
  await expect(log(page).getByRole('alert')).toContainText('Could not load the log. Busy.', { timeout: 20_000 })
  await page.unroute(path)
  await log(page).getByRole('button', { name: 'Retry' }).click()
  await expect(row(page, CAUSE)).toBeVisible()
})

// without @long, requests.spec.ts has the same retry
test('a busy server is asked again until it has read the log', { tag: '@long' }, async ({ page, complaints }) => {
  complaints.allow.push(/503/)
  let refused = 0
  await page.route('**/api/data/experiments/*/log?*', (route) => {
    if (refused === 2) return route.continue()
    refused++
    return route.fulfill({
      status: 503,
      headers: { 'Retry-After': '1' },
      contentType: 'application/problem+json',
      body: '{"status":503,"detail":"other artifacts are being read; retry later"}',
    })
  })
  await open(page, 2)
  await expect(log(page).getByText('Waiting for the server: other artifacts are being read.')).toBeVisible()
  await expect(row(page, CAUSE)).toBeVisible()
  await expect(log(page).getByText('Waiting for the server')).toHaveCount(0)
  expect(refused).toBe(2)
})

test('commands are copied, and name what is not recorded', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(page, 1)
  await commands(page).scrollIntoViewIfNeeded()
  const { commands: list } = await (await page.request.get(`${dashboard().url}/api/data/experiments/1/command`)).json()
  expect(list).toHaveLength(4)
  for (const [name, id] of [
    ['Repeat with ProfLLM', 'repeat'],
    ['Experiment file', 'experiment'],
    ['Server', 'server'],
    ['Load', 'load'],
  ] as const) {
    const one = commands(page).getByRole('group', { name, exact: true })
    await one.getByRole('button', { name: /^Copy/ }).click()
    await expect(one.getByRole('button', { name: /^Copied/ })).toBeVisible()
    const text = (list as { id: string; text: string }[]).find((command) => command.id === id)?.text
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(text?.trimEnd())
  }
  const saved = page.waitForEvent('download')
  await commands(page).getByRole('button', { name: 'Save the result' }).click()
  expect((await saved).suggestedFilename()).toMatch(/^exp_\w+\.json$/)
  if (IS_LONG) expect(await soundness(page)).toEqual([])
  await open(page, 5, '', (address) => follow(page, address))
  await commands(page).scrollIntoViewIfNeeded()
  await expect(commands(page).getByRole('group', { name: 'Server', exact: true })).toContainText(
    'Not known: the file does not record the server',
  )
  await expect(commands(page).getByRole('group', { name: 'Load', exact: true })).toContainText('Incomplete')
  await expect(commands(page).getByRole('group', { name: 'Not recorded' })).toContainText('benchmark.dataset_name')
  if (IS_LONG) expect(await soundness(page)).toEqual([])
})

test('a secret is named and never shown, and a command is copied exactly', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await open(page, 6)
  await commands(page).scrollIntoViewIfNeeded()
  await expect(commands(page)).toContainText(
    '*** replaces a secret. Set it before you run a command: launch.env.HF_TOKEN.',
  )
  await expect(commands(page).getByRole('group', { name: 'Server', exact: true })).toContainText("HF_TOKEN='***'")
  await expect(commands(page).locator('b').filter({ hasText: '<b>' })).toHaveCount(0)

  // control characters are shown, and copied as they are
  const server = commands(page).getByRole('group', { name: 'Server', exact: true })
  await expect(server.locator('pre')).toContainText("NOTE='<b> �evil'")
  await server.getByRole('button', { name: /^Copy/ }).click()
  await expect(server.getByRole('button', { name: /^Copied/ })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toContain("NOTE='<b> \u202eevil'")
})

test('on a phone, lines and commands wrap', { tag: '@long' }, async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 })
  await open(page, 2, '#log-L17')
  await expect(row(page, 17)).toBeVisible()
  await commands(page).scrollIntoViewIfNeeded()
  await expect(commands(page).getByRole('group', { name: 'Load', exact: true })).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
  if (IS_LONG) expect(await soundness(page)).toEqual([])
})
