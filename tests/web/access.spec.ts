// A dashboard with tokens: signing in and out, who is signed in, and what a role may not do.
import type { Page } from '@playwright/test'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { counted, type Dashboard, expect, IS_LONG, soundness, test, useDashboard } from './fixtures'
import { program } from './results'

const file = (store: Dashboard) => join(store.folder, 'tokens')
const token = (store: Dashboard, ...words: string[]) =>
  execFileSync(program('profllm-dashboard'), ['token', ...words, '--token-file', file(store)], { stdio: 'pipe' })
    .toString()
    .trim()

const tokens: Record<string, string> = {}
const dashboard = useDashboard((store, own) => {
  store.import(own)
  const table = join(store.folder, 'public.csv')
  writeFileSync(table, 'model,gpu,median_tpot_ms,output_throughput\nm,H100,8,400\n')
  for (const name of ['One', 'Two']) store.import('--baseline', name, table)
  for (const role of ['read', 'write', 'admin']) tokens[role] = token(store, 'add', `${role}er`, '--role', role)
  store.options = ['--token-file', file(store)]
})

// what the browser itself reports about responses that these tests expect
test.beforeEach(({ complaints }) => {
  complaints.allow.push(/status of (401|403|429)/)
})

async function signIn(page: Page, text: string, path = '/') {
  await page.goto(dashboard().url + path)
  await page.getByLabel('Token').fill(text)
  await page.keyboard.press('Enter')
}

test('signing in by keyboard, and out', async ({ page }) => {
  await page.goto(`${dashboard().url}/?hide=run.name`)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await expect(page.getByLabel('Token')).toBeFocused()
  expect(await soundness(page)).toEqual([])
  await page.keyboard.type('profllm_wrong')
  await page.keyboard.press('Enter')
  await expect(page.getByRole('alert')).toContainText('Could not sign in.')
  await expect(page.getByRole('alert')).toContainText('The token is unknown or was revoked.')
  if (IS_LONG) expect(await soundness(page)).toEqual([])
  await page.getByLabel('Token').fill(tokens['write'] as string)
  await page.keyboard.press('Enter')
  await expect(counted(page)).toHaveText(/1 (of 1 )?experiment/)
  expect(page.url()).toContain('hide=run.name') // a link leads to its page
  await expect(page.getByRole('button', { name: 'Sign out writeer (role write)' })).toBeVisible()
  if (IS_LONG) expect(await soundness(page)).toEqual([])
  // no script can read the session, and a reload keeps it
  expect(await page.evaluate(() => document.cookie)).toBe('')
  await page.reload()
  await expect(counted(page)).toHaveText(/1 (of 1 )?experiment/)
  await page.getByRole('button', { name: /^Sign out/ }).press('Enter')
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
  await page.reload()
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
})

test('what a role may not do is disabled, with the reason', async ({ page }) => {
  await signIn(page, tokens['read'] as string, '/upload')
  await expect(page.getByText('Uploading needs a token with the role write or admin.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Choose files' })).toHaveCount(0)
  await page.goto(`${dashboard().url}/experiments/1`)
  const remove = page.getByRole('button', { name: 'Delete' })
  await expect(remove).toBeDisabled()
  await expect(remove).toHaveAccessibleDescription('Needs the role admin')
  if (IS_LONG) expect(await soundness(page)).toEqual([])
  await page.goto(`${dashboard().url}/pareto`)
  await page.getByRole('button', { name: 'Use P99 TTFT and output throughput' }).click()
  const baselines = page.getByRole('region', { name: 'Baselines' })
  for (const name of ['One', 'Two']) {
    const act = baselines.getByRole('button', { name: `Delete baseline ${name}` })
    await expect(act).toBeDisabled()
    await expect(act).toHaveAccessibleDescription('Needs the role admin')
  }
  if (IS_LONG) expect(await soundness(page)).toEqual([])
  await page.goto(`${dashboard().url}/experiments/1`)
  await page.getByRole('button', { name: /^Sign out/ }).click()
  await page.getByLabel('Token').fill(tokens['admin'] as string)
  await page.keyboard.press('Enter')
  await expect(page.getByRole('button', { name: 'Delete' })).toBeEnabled()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByRole('button', { name: 'Delete' })).toBeEnabled()
})

test('a reader sees the upload of another user and cannot end it', async ({ page, request }) => {
  const opened = await request.post(`${dashboard().url}/api/upload/jobs`, {
    headers: { authorization: `Bearer ${tokens['write']}` },
    data: { name: 'nightly', files: 2 },
  })
  const { job_id: id } = await opened.json()
  const finish = page.getByRole('button', { name: 'Finish without them' })
  await signIn(page, tokens['read'] as string, `/upload/${id}`)
  await expect(finish).toBeDisabled()
  await expect(finish).toHaveAccessibleDescription('Needs the role write')
  await page.getByRole('button', { name: /^Sign out/ }).click()
  await signIn(page, tokens['write'] as string, `/upload/${id}`)
  await finish.click()
  await expect(finish).toHaveCount(0)
})

test('a revoked token ends the session on the page', async ({ page }) => {
  const text = token(dashboard(), 'add', 'brief', '--role', 'read')
  await signIn(page, text)
  await expect(counted(page)).toHaveText(/1 (of 1 )?experiment/)
  token(dashboard(), 'revoke', 'brief')
  await page.goto(`${dashboard().url}/sweeps`)
  await expect(page.getByRole('heading', { name: 'Sign in' })).toBeVisible()
})

test.describe('on a phone, in the dark theme', () => {
  test.use({ viewport: { width: 390, height: 844 }, colorScheme: 'dark' })
  test('the page fits', async ({ page }) => {
    await page.goto(dashboard().url)
    await expect(page.getByLabel('Token')).toBeVisible()
    const overflow = () => page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(await overflow()).toBeLessThanOrEqual(0)
    expect(await soundness(page)).toEqual([])
    await page.getByLabel('Token').fill(tokens['read'] as string)
    await page.keyboard.press('Enter')
    await expect(page.getByRole('button', { name: /^Sign out/ })).toBeInViewport()
    expect(await overflow()).toBeLessThanOrEqual(0)
    if (IS_LONG) expect(await soundness(page)).toEqual([])
  })
})
