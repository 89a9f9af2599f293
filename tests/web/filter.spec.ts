// Trees of conditions: made line by line, kept in the address, said where the server refuses them.
import type { Page } from '@playwright/test'
import { join } from 'node:path'

import { chips, counted, expect, filters, names, test, useDashboard } from './fixtures'
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
const open = (page: Page) => page.getByRole('button', { name: 'And, or' }).click()

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
  await expect(tree.getByRole('status')).toHaveText(/One condition is not finished/)
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

  const expected = runs.filter((run) => run.tensor_parallel_size === 2 && (run.p99_ttft_ms < 100 || run.quantization !== 'fp8'))
  await expect(counted(page)).toHaveText(`${expected.length} of ${RUNS} experiments`)
  // what a control can show is a choice, the rest is said beside the controls
  await expect(chips(page)).toHaveCount(2)
  await expect(filters(page).getByRole('region', { name: 'Conditions' })).toContainText('P99 TTFT < 100 ms or not Quant. is one of fp8')
  await expect(filters(page).getByRole('checkbox', { name: /^Tensor parallel size 2,/ })).toBeChecked()

  await page.reload()
  await expect.poll(async () => (await names(page)).toSorted()).toEqual(expected.map((run) => run.name))
  await open(page)
  await expect(editor(page).getByRole('group', { name: /^Condition on/ })).toHaveCount(3)
  await chips(page).last().getByRole('button').click()
  await expect(editor(page).getByRole('group', { name: /^Condition on/ })).toHaveCount(1)
  await expect(counted(page)).toHaveText(`8 of ${RUNS} experiments`)
})

test('a tree is moved about by keyboard alone', async ({ page }) => {
  const where = JSON.stringify({ or: [{ field: 'results.p99_ttft_ms', op: 'lt', value: 50 }, { field: 'server.quantization', op: 'is_null' }] })
  await page.goto(`${dashboard().url}/?server.tensor_parallel_size=2&where=${encodeURIComponent(where)}`)
  const expected = runs.filter((run) => run.tensor_parallel_size === 2 && (run.p99_ttft_ms < 50 || run.quantization === null))
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

test('what the server refuses is said at its line', async ({ page, complaints }) => {
  complaints.allow.push(/422/)
  const where = JSON.stringify({ or: [{ field: 'server.tensor_paralel_size', op: 'lt', value: 2 }, { field: 'results.p99_ttft_ms', op: 'lt', value: 50 }] })
  await page.goto(`${dashboard().url}/?where=${encodeURIComponent(where)}`)
  await open(page)
  const line = editor(page).getByRole('listitem').filter({ has: page.getByRole('group', { name: 'Condition on server.tensor_paralel_size' }) }).last()
  await expect(line.getByRole('alert')).toContainText('expected')
  await line.getByRole('button', { name: 'Use server.tensor_parallel_size' }).click()
  await expect(counted(page)).toHaveText(`${runs.filter((run) => run.tensor_parallel_size < 2 || run.p99_ttft_ms < 50).length} of ${RUNS} experiments`)
  await expect(editor(page).getByRole('alert')).toHaveCount(0)
})
