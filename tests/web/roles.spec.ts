// The controls of every page that change something, for each role, and who has made each change.
import { type Locator, type Page, request } from '@playwright/test'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'

import { expect, IS_LONG, soundness, test, useDashboard } from './fixtures'
import { AFTER, history } from './history'
import { program, read, write } from './results'

const ROLES = ['read', 'write', 'admin'] as const
type Role = (typeof ROLES)[number]

const tokens: Record<string, string> = {}
const dashboard = useDashboard((store, own) => {
  for (const [i, document] of history(read(own)).entries()) write(store.folder, `${i}.json`, document)
  store.import(...[...Array(186).keys()].map((i) => join(store.folder, `${i}.json`)))
  store.import(own)
  const file = join(store.folder, 'tokens')
  for (const role of ROLES)
    tokens[role] = execFileSync(
      program('profllm-dashboard'),
      ['token', 'add', `${role}er`, '--role', role, '--token-file', file],
      { stdio: 'pipe' },
    )
      .toString()
      .trim()
  store.options = ['--token-file', file]
})

// Sends a request of a user's program, and returns its response.
async function send(role: Role, method: string, path: string, data?: object) {
  const api = await request.newContext({ extraHTTPHeaders: { Authorization: `Bearer ${tokens[role]}` } })
  const answer = await api.fetch(dashboard().url + path, {
    method,
    ...(data && { data }),
    headers: { ...(data && { 'Content-Type': 'application/json' }) },
  })
  const text = await answer.text()
  expect(answer.ok(), text).toBe(true)
  await api.dispose()
  return text === '' ? null : JSON.parse(text)
}

const jobs = { open: '', done: '' }
test.beforeAll(async ({ own }) => {
  const question = {}
  await send('write', 'POST', '/api/filters/presets', {
    name: 'Two',
    filter: { field: 'server.tensor_parallel_size', op: 'eq', value: 2 },
  })
  await send('write', 'POST', '/api/annotations', { version: AFTER, text: 'new kernels' })
  await send('admin', 'POST', '/api/analysis/watches', { name: 'All', question, fail_on: 'regression' })
  const { revision } = await send('read', 'GET', '/api/prices')
  expect(revision).toBe(0)
  await send('admin', 'PUT', '/api/prices', { currency: 'EUR', prices: [{ gpu: 'NVIDIA H200', per_hour: 3 }] })
  const changed = read(own)
  changed.results.p99_ttft_ms += 1
  jobs.done = (await send('write', 'POST', '/api/upload/batch', [changed, { no: 'result' }])).job_id
  jobs.open = (await send('write', 'POST', '/api/upload/jobs', { name: 'open', files: 2 })).job_id
  await send('admin', 'DELETE', '/api/data/experiments/1')
})

// Reports of the browser about responses that these tests expect.
test.beforeEach(({ complaints }) => {
  complaints.allow.push(/status of (401|410)/)
})

async function signIn(page: Page, role: Role, path = '/') {
  await page.goto(dashboard().url + path)
  await page.getByLabel('Token').fill(tokens[role] as string)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: /^Sign out/ })).toBeVisible()
}

// Checks one control: enabled if the role suffices, otherwise disabled with the reason.
async function check(role: Role, control: Locator, needs: Role) {
  await expect(control).toBeVisible()
  if (ROLES.indexOf(role) >= ROLES.indexOf(needs)) return expect(control).toBeEnabled()
  await expect(control).toBeDisabled()
  return expect(control).toHaveAccessibleDescription(`Needs the role ${needs}`)
}

const SLOWER = /regression.*P99 TTFT.*TP 4/
const WRITE = 'write'
const ADMIN = 'admin'

test.describe.configure({ mode: 'serial' })

test('a decision shows who has made it', async ({ page }) => {
  await signIn(page, 'write', '/trends')
  await page.getByRole('complementary', { name: 'Verdicts' }).getByRole('link', { name: SLOWER }).click()
  const decision = page.getByRole('region', { name: 'Decision' })
  await expect(decision).toContainText('as writeer')
  await decision.getByRole('button', { name: /^Acknowledged/ }).click()
  await expect(decision.getByRole('status')).toContainText('writeer')
})

for (const role of ROLES) {
  // without @long, access.spec.ts has an enabled control of an admin
  const tag = role === 'admin' ? ['@long'] : []
  test(`the role ${role}: what it may not do is disabled, with the reason`, { tag }, async ({ page }) => {
    const button = (name: string | RegExp) => page.getByRole('button', { name })
    // slow, so once: the disabled controls and their reasons, in a usual run on the page with most of them
    const checkSoundness = async (isUsual = false) =>
      role === 'read' && (IS_LONG || isUsual) && expect(await soundness(page)).toEqual([])
    await signIn(page, role)
    // presets
    await page.goto(`${dashboard().url}/?preset=1&server.tensor_parallel_size=4`)
    for (const name of ['Update', 'Save as…', 'Edit preset Two']) await check(role, button(name), WRITE)
    await expect(button('Discard')).toBeEnabled()
    await checkSoundness()
    await button('Discard').click()
    await expect(page.getByText('Saved by writeer')).toBeVisible()
    // one experiment, and a deleted one
    await page.goto(`${dashboard().url}/experiments/2`)
    await check(role, button('Delete'), ADMIN)
    await page.goto(`${dashboard().url}/experiments/1`)
    await check(role, button('Restore'), ADMIN)
    await checkSoundness()
    // changes, decisions and annotations
    await page.goto(`${dashboard().url}/trends`)
    await page.getByRole('complementary', { name: 'Verdicts' }).getByRole('link', { name: SLOWER }).click()
    const decision = page.getByRole('region', { name: 'Decision' })
    for (const name of [/^Expected/, /^Wrong/, /^Fixed/, /^Acknowledged/])
      await check(role, decision.getByRole('button', { name }), WRITE)
    await expect(decision.getByRole('status')).toContainText(/Acknowledged, writeer/i)
    await page.getByText(/^1 decision on this series/).click()
    await check(role, button('Withdraw'), WRITE)
    await checkSoundness(true)
    await page.goto(`${dashboard().url}/trends`)
    const annotations = page.getByRole('region', { name: 'Annotations', exact: true })
    await expect(annotations.getByRole('listitem')).toContainText('writeer')
    for (const name of ['Add annotation', 'Edit annotation 1', 'Delete annotation 1'])
      await check(role, annotations.getByRole('button', { name }), WRITE)
    // watches
    await page.goto(`${dashboard().url}/trends?show=watches`)
    await check(role, button('Save'), ADMIN)
    await check(role, button('Delete watch All'), ADMIN)
    await expect(page.getByRole('listitem', { name: 'All' })).toContainText('by adminer')
    await checkSoundness()
    // prices
    await page.goto(`${dashboard().url}/pareto`)
    await button('Prices').click()
    await check(role, page.getByRole('dialog').getByRole('button', { name: 'Save' }), ADMIN)
    await expect(page.getByRole('dialog')).toContainText(/Changed .* by adminer/)
    // uploads
    await page.goto(`${dashboard().url}/upload/${jobs.done}`)
    await check(role, button('Retry rejected files'), WRITE)
    await check(role, button(/^Apply to/), WRITE)
    await expect(button('Download report')).toBeEnabled()
    await page.goto(`${dashboard().url}/upload/${jobs.open}`)
    for (const name of ['Choose folder', 'Finish without them']) await check(role, button(name), WRITE)
    await expect(page.getByText('Uploading needs a token with the role write or admin.')).toHaveCount(
      role === 'read' ? 1 : 0,
    )
    await checkSoundness()
  })
}
