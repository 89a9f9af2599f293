// Typical files of 'vllm bench serve': long names with the same beginning, several models, no run names.
import type { Page } from '@playwright/test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { counted, expect, IS_LONG, names, test, useDashboard } from './fixtures'
import { write } from './results'

const [SMALL, LARGE, OTHER] = [
  'maker/Meta-Llama-3.1-8B-Instruct-FP8',
  'maker/Meta-Llama-3.1-70B-Instruct-FP8',
  'maker/gemma-4-E2B-it',
] as const
const RUNS = [
  ...[4, 16, 32, 64].flatMap((load) => [SMALL, LARGE].map((model) => ({ model, load, prompts: 100 as number }))),
  { model: OTHER, load: null, prompts: 250 },
  { model: OTHER, load: null, prompts: 200 },
]
const NAMES = [
  ...[4, 16, 32, 64].flatMap((load) => [SMALL, LARGE].map((model) => `${model.slice(6)} · c${load}`)),
  'gemma-4-E2B-it · 250 prompts',
  'gemma-4-E2B-it · 200 prompts',
]

interface Run {
  model: string
  load: number | null
  prompts: number
}
// Consistent values, without lengths and a verdict.
const fileOf = ({ model, load, prompts }: Run, at: number) => {
  const [output, ttft, tokens] = [300 + at * 40, 40 + at * 9, prompts * 128]
  return {
    date: `20260301-1200${10 + at}`,
    endpoint_type: 'openai',
    backend: 'openai',
    label: null,
    model_id: model,
    tokenizer_id: model,
    num_prompts: prompts,
    request_rate: 'inf',
    burstiness: 1,
    max_concurrency: load,
    duration: tokens / output,
    completed: prompts,
    failed: 0,
    total_input_tokens: tokens,
    total_output_tokens: tokens,
    request_throughput: output / 128,
    request_goodput: null,
    output_throughput: output,
    total_token_throughput: 2 * output,
    mean_ttft_ms: ttft,
    median_ttft_ms: ttft,
    std_ttft_ms: ttft / 5,
    p99_ttft_ms: ttft * 2,
    mean_tpot_ms: 9,
    median_tpot_ms: 9,
    std_tpot_ms: 1,
    p99_tpot_ms: 12,
    mean_itl_ms: 9,
    median_itl_ms: 9,
    std_itl_ms: 2,
    p99_itl_ms: 20,
  }
}
const dashboard = useDashboard((store) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  for (const [at, run] of RUNS.entries())
    write(
      folder,
      `someone__2025-03-26_openai-10.0qps-itkns-512-otkns-85-${run.model.slice(6)}-20250326-2150${at}__${7919 * (at + 3)}.json`,
      fileOf(run, at),
    )
  store.import(folder)
})

const AXES = 'x=results.median_ttft_ms&y=results.output_throughput'
const slo = (page: Page) => page.getByRole('group', { name: 'SLO', exact: true })
const open = async (page: Page, query: string) => {
  await page.goto(`${dashboard().url}/?${query}`)
  await expect(counted(page)).toContainText('experiments')
}

test('rows, the best result and the reading share one name, by varying inputs; the tooltip has the file name', async ({
  page,
}) => {
  await open(page, `${AXES}&slo=results.median_ttft_ms:80`)
  await expect
    .poll(async () => (await names(page)).map((name) => name.replace(/ someone__.*$/, '')).toSorted())
    .toEqual(NAMES.toSorted())
  await expect(slo(page).getByRole('link')).toHaveText(NAMES[4] as string)
  await expect(slo(page).getByRole('link')).toHaveAttribute('title', /^someone__/)
  await page.getByTestId('plot').focus()
  for (const key of ['Home', 'Enter']) await page.keyboard.press(key)
  const reading = page.getByRole('complementary', { name: 'Reading' })
  await expect(reading.getByText(NAMES[0] as string)).toBeVisible()
  // values are whole, too
  await expect(reading).toContainText('Differences from')
  const cut = await reading
    .locator('dd, b')
    .evaluateAll((all) =>
      all
        .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
        .map(({ textContent }) => textContent),
    )
  expect(cut).toEqual([])
})

test("'Only columns that differ' keeps the columns that were added because they vary", async ({ page }) => {
  await open(page, 'chart=off')
  const prompts = page.getByRole('columnheader', { name: /^Num prompts/ })
  await expect(prompts).toBeVisible()
  await page.getByText('Only columns that differ').click()
  await expect(page.getByRole('columnheader', { name: /^Quant/ })).toHaveCount(0)
  await expect(prompts).toBeVisible()
})

test('a model keeps its color when results of another one are uploaded', async ({ page }) => {
  const colors = async () => {
    await open(page, `${AXES}&color=server.model`)
    const entries = page.getByRole('group', { name: 'Legend' }).locator('> span', { hasText: /Llama|gemma/ })
    await expect(entries).toHaveCount(3)
    return Object.fromEntries(
      await entries.evaluateAll((all) =>
        all.map((entry) => [
          entry.querySelector('.clip')?.textContent,
          entry.querySelector('path')?.getAttribute('fill'),
        ]),
      ),
    )
  }
  const before = await colors()
  const data = Array.from({ length: 12 }, (_, at) =>
    fileOf({ model: 'maker/A-much-used-model', load: 2 ** at, prompts: 10 }, 20 + at),
  )
  for (const one of data)
    expect((await page.request.post(`${dashboard().url}/api/upload/batch`, { data: [one] })).ok()).toBe(true)
  await expect
    .poll(async () => (await (await page.request.get(`${dashboard().url}/api/health`)).json()).total)
    .toBe(RUNS.length + data.length)
  expect(await colors()).toEqual(before)
})

test('lists of pop-overs end above the edge of their box and fade where more follows', async ({ page }) => {
  // the least height and the least width show a box that is too small
  const sizes = [
    [720, 450],
    [390, 844],
    ...(IS_LONG
      ? [
          [1440, 900],
          [1280, 720],
        ]
      : []),
  ] as [number, number][]
  for (const [width, height] of sizes) {
    await page.setViewportSize({ width, height })
    await open(page, AXES)
    for (const name of [/^Axis y/, /^Axis x/, /^color/, /^size/]) {
      await page.getByRole('button', { name }).click()
      const list = page.getByRole('listbox')
      await expect(list.getByRole('option').first()).toBeVisible()
      await page.keyboard.type('output')
      await expect(list.getByRole('option').first()).toContainText(/output/i)
      const gap = await list.evaluate(
        (element) =>
          (element.closest('[role=dialog]') as HTMLElement).parentElement!.getBoundingClientRect().bottom -
          element.getBoundingClientRect().bottom,
      )
      expect(gap, `${String(name)} at ${width} × ${height}`).toBeGreaterThanOrEqual(4)
      expect(await list.evaluate((element) => getComputedStyle(element).maskImage)).not.toBe('none')
      await page.keyboard.press('Escape')
      if (await page.getByRole('dialog').count()) await page.keyboard.press('Escape')
    }
  }
})

test('on a phone, the sheet of a point hides neither the answer of the SLO nor its button', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  const page = await context.newPage()
  await open(page, `${AXES}&slo=results.median_ttft_ms:80`)
  await expect(slo(page).getByRole('link')).toBeVisible()
  await page.getByTestId('plot').focus()
  for (const key of ['Home', 'Enter']) await page.keyboard.press(key)
  const sheet = page.getByRole('complementary', { name: 'Reading' })
  await expect(sheet.getByRole('link', { name: 'Open experiment' })).toBeVisible()
  for (const part of [
    slo(page).getByRole('status'),
    slo(page).getByRole('button', { name: 'Remove the SLO' }),
    sheet.getByRole('button', { name: 'Unpin' }),
  ]) {
    expect(
      await part.evaluate((element) => {
        const { left, top, width, height } = element.getBoundingClientRect()
        return element.contains(document.elementFromPoint(left + width / 2, top + height / 2))
      }),
    ).toBe(true)
  }
  await context.close()
})
