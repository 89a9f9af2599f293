// Filter trees: edited line by line, with the server's errors at their lines, and stored in addresses, presets and
// files.
import type { Page } from '@playwright/test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { chips, counted, expect, filters, names, soundness, test, tick, useDashboard } from './fixtures'
import { read, variant, write } from './results'

const RUNS = 24
const SIZES = [1, 2, 4]
const QUANTIZATIONS = ['fp8', 'nvfp4', null]
const runs = Array.from({ length: RUNS }, (_, i) => ({
  name: `run-${String(i).padStart(2, '0')}`,
  tensor_parallel_size: SIZES[i % 3] as number,
  quantization: QUANTIZATIONS[Math.floor(i / 3) % 3] as string | null,
  p99_ttft_ms: (i + 1) * 10,
  verdict: 'trusted',
}))

const dashboard = useDashboard((store, own) => {
  const base = read(own)
  for (const run of runs) write(join(store.folder, 'files'), `${run.name}.json`, variant(base, run))
  store.import(join(store.folder, 'files'))
})

const editor = (page: Page) => page.getByRole('region', { name: 'Filter as a tree' })
const open = (page: Page) =>
  page.getByRole('toolbar', { name: 'Filter tools' }).getByRole('button', { name: 'Edit filter tree' }).click()

async function chooseField(page: Page, words: string, name: string) {
  const line = editor(page).getByRole('group', { name: 'New condition' })
  await line.getByRole('combobox', { name: 'Field' }).fill(words)
  await page.getByRole('option', { name }).first().click()
}

test('a AND (b OR NOT c) is made in the tree, and the address brings it back', async ({ page }) => {
  await page.goto(dashboard().url)
  await open(page)
  const tree = editor(page)
  await tree.getByRole('button', { name: 'Add a condition' }).click()
  await chooseField(page, 'tensor parallel', 'Tensor parallel size')
  const size = tree.getByRole('group', { name: 'Condition on Tensor parallel size' })
  await size.getByRole('combobox', { name: /value$/ }).fill('2')
  await page.keyboard.press('Enter')
  await expect(counted(page)).toHaveText(`8 of ${RUNS} experiments`)

  await tree.getByRole('button', { name: 'Add a group' }).click()
  await chooseField(page, 'p99 ttft', 'P99 TTFT')
  await expect(tree.getByRole('status')).toHaveText(/One condition is incomplete/)
  const latency = tree.getByRole('group', { name: 'Condition on P99 TTFT' })
  await expect(latency.getByRole('combobox', { name: /operator$/ })).toHaveValue('le')
  await latency.getByRole('combobox', { name: /operator$/ }).selectOption('lt')
  await latency.getByRole('combobox', { name: /value$/ }).fill('100')
  await page.keyboard.press('Enter')
  await tree.getByRole('group', { name: 'Group' }).getByRole('button', { name: 'Add a condition' }).click()
  await chooseField(page, 'server.quantization', 'server.quantization')
  const quantization = tree.getByRole('group', { name: 'Condition on Quantization' })
  await quantization.getByRole('button', { name: 'not' }).click()
  await quantization.getByRole('combobox', { name: /one more$/ }).fill('fp8')
  await page.keyboard.press('Enter')

  const expected = runs.filter(
    (run) => run.tensor_parallel_size === 2 && (run.p99_ttft_ms < 100 || run.quantization !== 'fp8'),
  )
  await expect(counted(page)).toHaveText(`${expected.length} of ${RUNS} experiments`)
  // conditions that a control can show become choices, the others are listed next to the controls
  await expect(chips(page)).toHaveCount(2)
  await expect(filters(page).getByRole('region', { name: 'Conditions' })).toContainText(
    'P99 TTFT < 100 ms or not (Quant. is fp8)',
  )
  await expect(filters(page).getByRole('checkbox', { name: /^Tensor parallel size 2,/ })).toBeChecked()

  await page.reload()
  await expect.poll(async () => (await names(page)).toSorted()).toEqual(expected.map((run) => run.name))
  await open(page)
  await expect(editor(page).getByRole('group', { name: /^Condition on/ })).toHaveCount(3)
  await chips(page).last().getByRole('button').click()
  await expect(editor(page).getByRole('group', { name: /^Condition on/ })).toHaveCount(1)
  await expect(counted(page)).toHaveText(`8 of ${RUNS} experiments`)
})

test('a filter tree is rearranged by keyboard', async ({ page }) => {
  const where = JSON.stringify({
    or: [
      { field: 'results.p99_ttft_ms', op: 'lt', value: 50 },
      { field: 'server.quantization', op: 'is_null' },
    ],
  })
  await page.goto(`${dashboard().url}/?server.tensor_parallel_size=2&where=${encodeURIComponent(where)}`)
  const expected = runs.filter(
    (run) => run.tensor_parallel_size === 2 && (run.p99_ttft_ms < 50 || run.quantization === null),
  )
  await expect(counted(page)).toHaveText(`${expected.length} of ${RUNS} experiments`)
  await open(page)
  const down = editor(page).getByRole('button', { name: 'Move the condition on Tensor parallel size down' })
  await down.focus()
  await page.keyboard.press('Enter') // into the group: one of three holds
  const any = runs.filter((run) => run.tensor_parallel_size === 2 || run.p99_ttft_ms < 50 || run.quantization === null)
  await expect(counted(page)).toHaveText(`${any.length} of ${RUNS} experiments`)
  await expect(down).toBeFocused()
  await page.keyboard.press('Alt+ArrowUp') // and out again
  await expect(counted(page)).toHaveText(`${expected.length} of ${RUNS} experiments`)
  await page.keyboard.press('Escape')
  await expect(editor(page)).toHaveCount(0)
})

test('a refused condition shows the error at its line', async ({ page, complaints }) => {
  complaints.allow.push(/422/)
  const where = JSON.stringify({
    or: [
      { field: 'server.tensor_paralel_size', op: 'lt', value: 2 },
      { field: 'results.p99_ttft_ms', op: 'lt', value: 50 },
    ],
  })
  await page.goto(`${dashboard().url}/?where=${encodeURIComponent(where)}`)
  await open(page)
  const line = editor(page)
    .getByRole('listitem')
    .filter({ has: page.getByRole('group', { name: 'Condition on server.tensor_paralel_size' }) })
    .last()
  await expect(line.getByRole('alert')).toContainText('expected')
  await line.getByRole('button', { name: 'Use server.tensor_parallel_size' }).click()
  await expect(counted(page)).toHaveText(
    `${runs.filter((run) => run.tensor_parallel_size < 2 || run.p99_ttft_ms < 50).length} of ${RUNS} experiments`,
  )
  await expect(editor(page).getByRole('alert')).toHaveCount(0)
})

const OR = JSON.stringify({
  or: [
    { field: 'results.p99_ttft_ms', op: 'lt', value: 100 },
    { not: { field: 'server.quantization', op: 'in', value: ['fp8'] } },
  ],
})
const TREE = `server.tensor_parallel_size=2&where=${encodeURIComponent(OR)}`
const fits = (run: (typeof runs)[number]) =>
  run.tensor_parallel_size === 2 && (run.p99_ttft_ms < 100 || run.quantization !== 'fp8')

test('a preset is saved, opened by its address, changed, updated, renamed, copied and deleted', async ({
  page,
  browser,
  complaints,
}) => {
  complaints.allow.push(/409/)
  const presets = page.getByRole('navigation', { name: 'Presets' })
  const dialog = page.getByRole('dialog')
  const expected = runs.filter(fits).length
  await page.goto(`${dashboard().url}/?${TREE}`)
  await expect(counted(page)).toHaveText(`${expected} of ${RUNS} experiments`)
  await page.getByRole('button', { name: 'Save as…' }).click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Two GPUs')
  await page.keyboard.press('Enter')
  await expect(presets.getByRole('link', { name: 'Two GPUs' })).toHaveAttribute('aria-current', 'true')
  await expect(page.getByText('Changed since saved')).toHaveCount(0)

  const other = await (await browser.newContext()).newPage()
  await other.goto(page.url())
  await expect(counted(other)).toHaveText(`${expected} of ${RUNS} experiments`)
  await expect(
    other.getByRole('navigation', { name: 'Presets' }).getByRole('link', { name: 'Two GPUs' }),
  ).toHaveAttribute('aria-current', 'true')
  await other.context().close()

  await page
    .getByRole('columnheader', { name: /P99 TTFT/ })
    .getByRole('button', { name: /P99/ })
    .click()
  await expect(presets.getByRole('img', { name: 'changed since saved' })).toBeVisible()
  await page.getByRole('button', { name: 'Discard' }).click()
  await expect(page.getByText('Changed since saved')).toHaveCount(0)
  await page.goBack()
  await page.getByRole('button', { name: 'Update' }).click()
  await expect(page.getByText('Changed since saved')).toHaveCount(0)
  await presets.getByRole('link', { name: 'All experiments' }).click()
  await expect(counted(page)).toHaveText(`${RUNS} of ${RUNS} experiments`)
  await presets.getByRole('link', { name: 'Two GPUs' }).click()
  await expect(page.getByRole('columnheader', { name: /P99 TTFT/ })).toHaveAttribute('aria-sort', 'ascending')

  const more = page.getByRole('button', { name: /^Edit preset/ })
  await more.click()
  await dialog.getByRole('button', { name: 'Duplicate' }).click()
  await expect(presets.getByRole('link', { name: 'Copy of Two GPUs' })).toHaveAttribute('aria-current', 'true')
  await more.click()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('two gpus')
  await page.keyboard.press('Enter')
  await expect(dialog.getByRole('alert')).toContainText(/name/)
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Begin here')
  await dialog.getByText('Open Explore with this preset').click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await expect(presets.getByRole('link', { name: /^Begin here/ })).toBeVisible()
  await page.goto(dashboard().url)
  await expect(counted(page)).toHaveText(`${expected} of ${RUNS} experiments`)
  await expect(presets.getByRole('link', { name: /^Begin here/ })).toHaveAttribute('aria-current', 'true')

  for (const name of [/^Begin here/, /^Two GPUs/]) {
    await presets.getByRole('link', { name }).click()
    await more.click()
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await dialog.getByRole('button', { name: 'Confirm deletion' }).click()
    await expect(presets.getByRole('link', { name })).toHaveCount(0)
  }
  await expect(counted(page)).toHaveText(`${RUNS} of ${RUNS} experiments`)
})

// the same dialogs as on a desk
test('on a phone, too, a preset is saved, changed, renamed and deleted', { tag: '@long' }, async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  const page = await context.newPage()
  const presets = page.getByRole('navigation', { name: 'Presets' })
  const dialog = page.getByRole('dialog')
  await page.goto(`${dashboard().url}/?${TREE}`)
  await page.getByRole('button', { name: 'Save as…' }).tap()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('By hand')
  expect(await soundness(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Save' }).tap()
  await expect(presets.getByRole('link', { name: 'By hand' })).toHaveAttribute('aria-current', 'true')
  await page.goto(`${page.url()}&sort=results.p99_ttft_ms`)
  await page.getByRole('button', { name: 'Update' }).tap()
  await expect(page.getByRole('button', { name: 'Update' })).toHaveCount(0)
  const more = page.getByRole('button', { name: /^Edit preset/ })
  await more.tap()
  await dialog.getByRole('textbox', { name: 'Name' }).fill('On the way')
  await dialog.getByRole('button', { name: 'Save' }).tap()
  await expect(presets.getByRole('link', { name: 'On the way' })).toBeVisible()
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
  await more.tap()
  await dialog.getByRole('button', { name: 'Delete' }).tap()
  expect(await soundness(page)).toEqual([])
  await dialog.getByRole('button', { name: 'Confirm deletion' }).tap()
  await expect(presets.getByRole('link', { name: 'On the way' })).toHaveCount(0)
  await context.close()
})

for (const colorScheme of ['light', 'dark'] as const) {
  // its colors in the dark are those of other dialogs
  test(`the dialog of a preset is sound, ${colorScheme}`, { tag: colorScheme === 'dark' ? '@long' : [] }, async ({
    page,
  }) => {
    await page.emulateMedia({ colorScheme })
    await page.goto(`${dashboard().url}/?${TREE}`)
    await page.getByRole('button', { name: 'Save as…' }).click()
    await expect(page.getByRole('dialog').getByRole('textbox', { name: 'Name' })).toBeFocused()
    expect(await soundness(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  })
}

test('the keys [ and ] undo and redo a change', async ({ page }) => {
  const order = (name: RegExp) => page.getByRole('columnheader', { name })
  const sort = (name: RegExp) => order(name).getByRole('button', { name }).first().click()
  await page.goto(dashboard().url)
  await expect(counted(page)).toHaveText(`${RUNS} of ${RUNS} experiments`)
  await sort(/P99 TTFT/)
  await expect(order(/P99 TTFT/)).toHaveAttribute('aria-sort', 'ascending')
  await sort(/P99 TTFT/)
  await expect(order(/P99 TTFT/)).toHaveAttribute('aria-sort', 'descending')
  await page.keyboard.press('[')
  await expect(order(/P99 TTFT/)).toHaveAttribute('aria-sort', 'ascending')
  await page.keyboard.press('[')
  await expect(order(/P99 TTFT/)).not.toHaveAttribute('aria-sort')
  await page.keyboard.press(']')
  await expect(order(/P99 TTFT/)).toHaveAttribute('aria-sort', 'ascending')
  await page.keyboard.press(']')
  await expect(order(/P99 TTFT/)).toHaveAttribute('aria-sort', 'descending')
})

test('sixty conditions exceed the length of an address: the server stores them, and the link restores them', async ({
  page,
  browser,
}) => {
  const where = {
    or: Array.from({ length: 60 }, (_, i) => ({
      field: 'results.p99_ttft_ms',
      op: 'between',
      value: [i * 10 - 1, i * 10 + 1],
    })),
  }
  await page.goto(
    `${dashboard().url}/?where=${encodeURIComponent(JSON.stringify({ ...where, or: where.or.slice(0, 5) }))}`,
  )
  await expect(counted(page)).toHaveText(`4 of ${RUNS} experiments`)
  const long = `/?where=${encodeURIComponent(JSON.stringify(where))}&sort=results.p99_ttft_ms`
  await page.evaluate((path) => {
    history.pushState(null, '', path)
  }, long)
  await expect(page).toHaveURL(/\/\?view=[\w-]+$/)
  await expect(counted(page)).toHaveText(`${RUNS} of ${RUNS} experiments`)
  const other = await (await browser.newContext()).newPage()
  await other.goto(page.url())
  await expect.poll(async () => (await names(other))[0]).toBe('run-00')
  // a change of a part changes the whole tree
  await tick(other, 'Tensor parallel size', / 2,/)
  await expect(counted(other)).toHaveText(`8 of ${RUNS} experiments`)
  await other.context().close()
})

test('an export contains the filtered results with the shown columns or all', async ({ page }) => {
  const expected = runs.filter(fits)
  await page.goto(
    `${dashboard().url}/?${TREE}&columns=server.quantization,results.p99_ttft_ms&sort=results.p99_ttft_ms`,
  )
  await expect(counted(page)).toHaveText(`${expected.length} of ${RUNS} experiments`)
  await page.keyboard.press('e')
  const dialog = page.getByRole('dialog', { name: 'Export' })
  const file = async () => {
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      dialog.getByRole('button', { name: 'Export' }).click(),
    ])
    await expect(dialog).toHaveCount(0)
    return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') }
  }
  const csv = await file()
  expect(csv.name).toMatch(/\.csv$/)
  expect(
    csv.text
      .split('\r\n')
      .filter((line) => line && !line.startsWith('#'))
      .map((line) => line.split(',').slice(1)),
  ).toEqual([
    ['run.name', 'server.quantization', 'results.p99_ttft_ms'],
    ...expected.map((run) => [run.name, run.quantization ?? 'null', String(run.p99_ttft_ms)]),
  ])
  expect(csv.text).toContain(`# link: ${dashboard().url}/?server.tensor_parallel_size=2&where=`)
  await page.keyboard.press('e')
  await dialog.getByText('JSON', { exact: true }).click()
  await dialog.getByText('All recorded columns').click()
  const json = JSON.parse((await file()).text)
  expect(json.provenance.count).toBe(expected.length)
  expect(json.rows.map((row: { cells: Record<string, unknown> }) => row.cells['run.name'])).toEqual(
    expected.map((run) => run.name),
  )
  expect(Object.keys(json.rows[0].cells).length).toBeGreaterThan(100)
})

test('a range of the last days is relative to the time of the request', async ({ page }) => {
  await page.goto(dashboard().url)
  await expect(counted(page)).toBeVisible()
  await filters(page).getByRole('searchbox').first().fill('run.timestamp')
  await filters(page).getByRole('button', { name: 'Started, last 90 days' }).click()
  await expect(chips(page)).toContainText(['the last 90 days'])
  const isRecent = Date.now() - Date.UTC(2026, 10, 1) < 90 * 86_400_000
  await expect(counted(page)).toHaveText(`${isRecent ? RUNS : 0} of ${RUNS} experiments`)
  expect(page.url()).toContain('run.timestamp=now-90d..')
})
