// Missing combinations and baselines on Pareto: a grid that lacks one combination, its experiment file, and public
// results in gray.
import { readFileSync } from 'node:fs'

import { expect, soundness, test, useDashboard } from './fixtures'
import { NEW } from './frontiers'
import { ABSENT, importIncomplete } from './incomplete'
import { read } from './results'

const dashboard = useDashboard((store, own) => importIncomplete(store, read(own)))

test('the missing combination is proposed with its experiment file', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${dashboard().url}/pareto`)
  const panel = page.getByRole('region', { name: 'Missing combinations', exact: true })
  await panel.getByRole('button', { name: 'Plan runs' }).press('Enter')
  await expect(panel.getByRole('status')).toHaveText('1 of 24 combinations has no result.')
  const row = panel.getByRole('region', { name: 'Missing combinations table' }).getByRole('row').nth(1)
  await expect(row).toContainText('64')
  await expect(row).toContainText(ABSENT)
  await expect(row).toContainText(NEW)
  await expect(row).toContainText('next to the frontier')
  const first = panel.getByRole('list', { name: 'Experiment files' }).getByRole('listitem').first()
  await expect(first).toContainText('missing-1.yaml: 1 combination')
  await expect(first).toContainText(`on GPU model ${ABSENT}`)
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    first.getByRole('button', { name: 'Save missing-1.yaml' }).click(),
  ])
  expect(file.suggestedFilename()).toBe('missing-1.yaml')
  const text = readFileSync(await file.path(), 'utf8')
  expect(text).toContain(`# Run where system.hardware_info.gpu_name is "${ABSENT}".`)
  expect(text).toMatch(/sweep:\n {2}points:\n {4}- \{.*max_concurrency"?: 64\}\n$/)
  await first.getByRole('button', { name: 'Copy command' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    'profllm sweep run --output-dir missing-1 missing-1.yaml',
  )
  await first.getByRole('button', { name: 'Show the file' }).press('Enter')
  await expect(first).toContainText('# 1 combination of a grid')
  expect(await soundness(page)).toEqual([])

  // a cleared field leaves the grid: every GPU and release together
  await panel.getByRole('checkbox', { name: /^GPU model/ }).press('Space')
  await expect(panel.getByRole('status')).toHaveText('All 8 combinations have a result.')
  await panel.getByRole('button', { name: 'Use all fields that vary' }).click()
  await expect(panel.getByRole('status')).toHaveText('1 of 24 combinations has no result.')
})

test('Explore plans the runs that its filtered results lack', async ({ page }) => {
  await page.goto(`${dashboard().url}/?environment.engine.version=${NEW}`)
  const button = page.getByRole('button', { name: 'Plan runs' })
  await expect(button).toBeEnabled()
  await button.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Missing combinations' })
  await expect(dialog.getByRole('status')).toHaveText('1 of 12 combinations has no result.')
  await expect(dialog.getByRole('list', { name: 'Experiment files' })).toContainText('missing-1.yaml: 1 combination')
  expect(await soundness(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(dialog).toHaveCount(0)
  await expect(button).toBeFocused()
})

test('an error is shown and retried', async ({ page, complaints }) => {
  complaints.allow.push(/500/)
  await page.route('**/api/analysis/missing', (route) =>
    route.fulfill({ status: 500, json: { status: 500, title: 'Error', detail: 'the disk is full' } }),
  )
  await page.goto(`${dashboard().url}/pareto`)
  const panel = page.getByRole('region', { name: 'Missing combinations', exact: true })
  await panel.getByRole('button', { name: 'Plan runs' }).click()
  await expect(panel.getByRole('alert')).toContainText('The disk is full.')
  await page.unroute('**/api/analysis/missing')
  await panel.getByRole('button', { name: 'Retry' }).click()
  await expect(panel.getByRole('status')).toContainText('1 of 24')
})

test('baselines that load or fail are not said to lack the metrics', async ({ page, complaints }) => {
  complaints.allow.push(/500/)
  const path = '**/api/analysis/baselines'
  let answer = () => {}
  const isDue = new Promise<void>((resolve) => (answer = resolve))
  await page.route(path, async (route) => {
    await isDue
    await route.fulfill({ status: 500, json: { status: 500, title: 'Error', detail: 'the disk is full' } })
  })
  await page.goto(`${dashboard().url}/pareto?baselines=1`)
  const baselines = page.getByRole('region', { name: 'Baselines' })
  await expect(baselines.getByRole('status')).toHaveText('Loading the baselines…')
  answer()
  await expect(baselines.getByRole('alert')).toContainText('The disk is full.')
  await expect(baselines.getByRole('status')).toHaveCount(0)
  await page.unroute(path)
  await baselines.getByRole('button', { name: 'Retry' }).click()
  await expect(baselines.getByRole('status')).toContainText('Gray: 1 line')
})

test('a baseline is drawn in gray with its source, and is never counted', async ({ page }) => {
  await page.goto(`${dashboard().url}/pareto`)
  const baselines = page.getByRole('region', { name: 'Baselines' })
  await baselines.getByRole('checkbox', { name: 'Public 2 rows' }).press('Space')
  await expect(page).toHaveURL(/[?&]baselines=1/)
  await expect(page.locator('[data-baseline]')).toHaveCount(1)
  await expect(page.locator('[data-baseline] circle')).toHaveCount(2)
  await expect(page.getByRole('main')).toContainText('92 of 92 experiments')
  await expect(baselines.getByRole('status')).toHaveText(
    'Gray: 1 line of public results, Example Inc., 2026-09-01 to 2026-09-03. They are not among the experiments.',
  )
  await baselines.getByText('Sources and differences').click()
  const line = baselines.getByRole('listitem')
  await expect(line).toContainText('Llama-3.1-70B-Instruct · H200 · fp8 · 1,024/1,024 tokens · vllm')
  await expect(line).toContainText('Example Inc., 2026-09-01 to 2026-09-03.')
  await expect(line).toContainText('precision fp8')
  await expect(line).toContainText('another load generator')
  await expect(line).not.toContainText('model ')
  await expect(line).not.toContainText('GPU H200')
  expect(await soundness(page)).toEqual([])

  // the same on a scatter of Explore
  await page.goto(`${dashboard().url}/?x=derived.tokens_per_s_per_user&y=derived.output_throughput_per_gpu`)
  await page.getByRole('region', { name: 'Baselines' }).getByRole('checkbox', { name: 'Public 2 rows' }).press('Space')
  await expect(page).toHaveURL(/[?&]baselines=1/)
  await expect(page.getByRole('region', { name: 'Chart', exact: true }).locator('[data-baseline] circle')).toHaveCount(
    2,
  )
  await expect(page.getByRole('main')).toContainText('92 of 92')
  expect(await soundness(page)).toEqual([])
  await page.goto(`${dashboard().url}/pareto?baselines=1`)

  // the address has the choice
  await page.reload()
  await expect(page.locator('[data-baseline]')).toHaveCount(1)
  await baselines.getByRole('button', { name: 'Delete baseline Public' }).click()
  await baselines.getByRole('button', { name: 'Delete “Public”' }).click()
  await expect(baselines).toHaveCount(0)
  await expect(page.locator('[data-baseline]')).toHaveCount(0)
})
