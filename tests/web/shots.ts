// The pictures of docs/images, of results that the simulator made and copies of them: `tools/web shots docs/images`.
import type { Page } from '@playwright/test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { counted, type Dashboard, expect, filters, test, useDashboard } from './fixtures'
import { effects } from './effects'
import { frontiers } from './frontiers'
import { AFTER, history } from './history'
import { importIncomplete } from './incomplete'
import { laboratory, sendPlans, sides, SWEEPS, sweepResults } from './laboratory'
import { type Document, ownResult, read, variant, write } from './results'
import { sizes } from './sizes'
import { ADDRESSES, PACKED, SCALING } from './use-cases'

const OUT = process.env['PROFLLM_SHOTS'] as string

const CHAT = {
  dataset_name: 'random',
  random_input_len: 256,
  random_output_len: 64,
  num_prompts: 400,
  max_concurrency: 8,
}
// one run for both themes
const chats = new Map<string, Promise<string>>()
function chatIn(folder: string) {
  const made = chats.get(folder) ?? ownResult(folder, 'chat-c8', CHAT)
  chats.set(folder, made)
  return made
}

const importAll = (store: Dashboard, documents: Document[]) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  for (const [at, document] of documents.entries()) write(folder, `${at}.json`, document)
  store.import(folder)
}

const dashboard = useDashboard((store, own) => importAll(store, laboratory(read(own))))

const QUERY =
  '/?system.hardware_info.gpu_name=NVIDIA B200,NVIDIA H200&server.tensor_parallel_size=2,4,8&results.p99_ttft_ms=..900&sort=-results.output_throughput'

const NAMES = ['70B on Hopper and Blackwell', 'Precision and quantization', 'Memory', 'Energy per token']
const filter = {
  and: [
    { field: 'system.hardware_info.gpu_name', op: 'in', value: ['NVIDIA B200', 'NVIDIA H200'] },
    { field: 'server.tensor_parallel_size', op: 'in', value: [2, 4, 8] },
  ],
}
const sort = [{ field: 'results.output_throughput', dir: 'desc' }]

// an existing one is refused, and remains
async function explore(page: Page) {
  for (const name of NAMES)
    await page.request.post(`${dashboard().url}/api/filters/presets`, { data: { name, filter, sort } })
  await page.goto(`${dashboard().url}${QUERY}&preset=1`)
  await expect(counted(page)).toBeVisible()
}

const save = (page: Page, name: string) => page.screenshot({ path: join(OUT, `${name}.png`), animations: 'disabled' })

for (const colorScheme of ['light', 'dark'] as const) {
  test(`explore ${colorScheme}`, async ({ page }) => {
    await page.emulateMedia({ colorScheme })
    await explore(page)
    await expect(filters(page).getByRole('group', { name: 'Verdict', exact: true })).toBeAttached()
    await expect(page.getByTestId('plot')).toBeVisible()
    await save(page, `explore-${colorScheme}`)
  })

  test(`experiment ${colorScheme}`, async ({ page, folder }) => {
    const own = await chatIn(folder)
    await page.emulateMedia({ colorScheme })
    await page.goto(`${dashboard().url}/upload`)
    await page.getByTestId('files').setInputFiles(own)
    await page.getByRole('link', { name: /^Open/ }).click()
    await expect(page.getByRole('region', { name: 'Verdict' })).toBeVisible()
    await save(page, `experiment-${colorScheme}`)
  })
}

// The fields of axes that are chosen by hand occur in the results of one laboratory.
const CHARTS = {
  scatter: 'y=results.output_throughput&x=results.p99_ttft_ms&color=system.hardware_info.gpu_name&log=y',
  line: 'chart=line&y=results.output_throughput&x=benchmark.max_concurrency&color=server.model&stat=mean&spread=ci',
  bar: 'chart=bar&y=results.output_throughput&x=server.tensor_parallel_size&color=system.hardware_info.gpu_name',
  box: 'chart=box&y=results.p99_ttft_ms&x=server.model&color=system.hardware_info.gpu_name',
  histogram: 'chart=histogram&x=results.p99_ttft_ms&color=server.model',
  heat: 'chart=heat&x=benchmark.max_concurrency&y=server.model&value=results.output_throughput&server.tensor_parallel_size=2,4',
  parallel:
    'chart=parallel&axes=server.model,system.hardware_info.gpu_name,server.tensor_parallel_size,server.quantization,benchmark.max_concurrency,results.p99_ttft_ms,results.output_throughput&color=results.output_throughput',
}

for (const [kind, query] of Object.entries(CHARTS)) {
  test(`chart ${kind}`, async ({ page }) => {
    await page.goto(`${dashboard().url}/?${query}`)
    await expect(page.getByTestId('plot')).toBeVisible()
    if (kind === 'scatter') {
      await page.getByTestId('plot').focus()
      for (const key of [...Array<string>(12).fill('ArrowRight'), 'Enter']) await page.keyboard.press(key)
      await expect(page.getByRole('complementary', { name: 'Reading' })).toContainText('Differences from')
    }
    await page.mouse.move(0, 0)
    await page
      .getByRole('region', { name: 'Chart' })
      .screenshot({ path: join(OUT, `chart-${kind}.png`), animations: 'disabled' })
  })
}

test('columns', async ({ page }) => {
  await explore(page)
  await page.getByRole('button', { name: /^Columns/ }).click()
  await expect(page.getByRole('dialog', { name: 'Columns' })).toBeVisible()
  await save(page, 'columns-light')
})

test('tree', async ({ page }) => {
  const where = {
    or: [
      { field: 'results.p99_ttft_ms', op: 'lt', value: 200 },
      {
        and: [
          { not: { field: 'server.quantization', op: 'in', value: ['fp8', 'nvfp4'] } },
          { field: 'server.tensor_parallel_size', op: 'ge', value: 4 },
        ],
      },
    ],
  }
  await page.goto(
    `${dashboard().url}/?system.hardware_info.gpu_name=NVIDIA B200,NVIDIA H200&where=${encodeURIComponent(JSON.stringify(where))}`,
  )
  await expect(counted(page)).toBeVisible()
  await page.getByRole('toolbar', { name: 'Filter tools' }).getByRole('button', { name: 'Edit filter tree' }).click()
  await expect(page.getByRole('region', { name: 'Filter as a tree' })).toBeVisible()
  await expect(filters(page).getByRole('group', { name: 'Verdict', exact: true })).toBeAttached()
  await save(page, 'tree-light')
})

test('upload', async ({ page, own, folder }) => {
  const broken = read(own)
  broken.results.p99_ttft_ms = 'n/a'
  broken.quality.verdict = 'ok'
  const changed = read(own)
  changed.results.p99_ttft_ms += 1
  await page.goto(`${dashboard().url}/upload`)
  const sent = [
    'llama70-tp4-r12.json',
    'llama70-tp4-r8.json',
    'llama70-tp4-r8-changed.json',
    'qwen72-tp8.json',
    'notes.txt',
  ]
  const documents = [broken, read(own), changed, variant(read(own), { name: 'qwen72-tp8' }), 'Remember the milk.']
  await page.getByTestId('files').setInputFiles(sent.map((name, i) => write(folder, name, documents[i])))
  await expect(page.getByText('5 of 5 files processed')).toBeVisible()
  await expect(page.getByRole('row', { name: /^\/results\/p99_ttft_ms/ })).toHaveCount(2)
  await save(page, 'upload-light')
})

test('phone', async ({ browser }) => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true })
  const page = await context.newPage()
  await explore(page)
  await expect(page.getByRole('listitem').first()).toBeVisible()
  await expect(page.getByTestId('plot')).toBeVisible()
  await save(page, 'explore-phone')
  await context.close()
})

test.describe('compare', () => {
  const compared = useDashboard((store, own) => importAll(store, sides(read(own))))

  for (const [name, colorScheme, viewport] of [
    ['compare-light', 'light', { width: 1440, height: 900 }],
    ['compare-dark', 'dark', { width: 1440, height: 900 }],
    ['compare-phone', 'light', { width: 390, height: 844 }],
  ] as const) {
    test(name, async ({ page }) => {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await page.goto(`${compared().url}/compare?side=1&side=2&side=3`)
      await expect(
        page.getByRole('region', { name: 'Quality', exact: true }).getByRole('row', { name: /^Verdict/ }),
      ).toBeVisible()
      await save(page, name)
      if (process.env['PROFLLM_WHOLE'])
        await page.screenshot({ path: join(OUT, `${name}-whole.png`), animations: 'disabled', fullPage: true })
    })
  }
})

const LOOKS = [
  ['light', 'light', { width: 1440, height: 900 }],
  ['dark', 'dark', { width: 1440, height: 900 }],
  ['phone', 'light', { width: 390, height: 844 }],
] as const

test.describe('sweeps', () => {
  const swept = useDashboard((store, own) => importAll(store, sweepResults(read(own))))
  for (const [name, colorScheme, viewport] of LOOKS) {
    test(`sweeps ${name}`, async ({ page }) => {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await sendPlans(page.request, swept().url)
      await page.goto(`${swept().url}/sweeps`)
      await expect(page.getByRole('link', { name: SWEEPS.night.name })).toBeVisible()
      if (process.env['PROFLLM_WHOLE']) await save(page, `sweep-list-${name}`)
      await page.goto(`${swept().url}/sweeps/${SWEEPS.night.id}`)
      await page.locator('[data-cell="8-128-64"]').focus()
      await expect(page.getByRole('complementary', { name: 'Reading' })).toContainText('tok/s')
      if (name !== 'phone' || process.env['PROFLLM_WHOLE']) await save(page, `sweeps-${name}`)
      if (process.env['PROFLLM_WHOLE'])
        await page.screenshot({ path: join(OUT, `sweeps-${name}-whole.png`), animations: 'disabled', fullPage: true })
    })
  }
})

test.describe('trends', () => {
  const measured = useDashboard((store, own) => importAll(store, history(read(own))))
  for (const [name, colorScheme, viewport] of LOOKS) {
    test(`trends ${name}`, async ({ page }) => {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      if (name === 'light')
        await page.request.post(`${measured().url}/api/annotations`, {
          data: { version: AFTER, text: 'chunked prefill is on by default', author: 'ann' },
        })
      await page.goto(`${measured().url}/trends`)
      await page.getByRole('link', { name: /regression.*P99 TTFT.*TP 4/ }).click()
      await expect(page.getByRole('region', { name: 'Chart' }).getByRole('slider')).toBeVisible()
      if (name !== 'phone') await page.evaluate(() => window.scrollTo(0, 0))
      await save(page, `trends-${name}`)
      if (process.env['PROFLLM_WHOLE'])
        await page.screenshot({ path: join(OUT, `trends-${name}-whole.png`), animations: 'disabled', fullPage: true })
    })
  }
})

test.describe('pareto', () => {
  const measured = useDashboard((store, own) => importAll(store, frontiers(read(own))))
  for (const [name, colorScheme, viewport] of LOOKS) {
    test(`pareto ${name}`, async ({ page }) => {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await page.goto(
        `${measured().url}/pareto?limits=derived.tokens_per_s_per_user>=50,results.p99_ttft_ms<=400&environment.engine.version=0.32.0`,
      )
      await expect(page.getByRole('region', { name: 'Chart' }).getByRole('slider').first()).toBeVisible()
      await expect(page.getByText(/configurations keep all limits/)).toBeVisible()
      await expect(page.getByRole('region', { name: 'Server command' })).toBeVisible()
      await save(page, `pareto-${name}`)
      if (process.env['PROFLLM_WHOLE'])
        await page.screenshot({ path: join(OUT, `pareto-${name}-whole.png`), animations: 'disabled', fullPage: true })
    })
  }
})

test.describe('use cases', () => {
  const measured = useDashboard((store) => store.import(PACKED))
  const plot = (page: Page) => page.getByRole('region', { name: 'Chart', exact: true })
  const open = async (page: Page, name: keyof typeof ADDRESSES, more = '') => {
    await page.goto(`${measured().url}${ADDRESSES[name]}${more}`)
    await expect(
      plot(page)
        .or(page.getByRole('region', { name: 'Overview' }))
        .first(),
    ).toBeVisible()
  }
  const shot = async (page: Page, name: string) => {
    await page.mouse.move(0, 0)
    await page.waitForLoadState('networkidle')
    await save(page, `use-case-${name}`)
  }

  for (const name of ['models', 'memory', 'utilization'] as const)
    test(`use case ${name}`, async ({ page }) => {
      await open(page, name)
      await shot(page, name)
    })

  test('use case scaling', async ({ page }) => {
    await page.goto(`${measured().url}${SCALING}`)
    await expect(page.getByRole('region', { name: 'Server command' })).toBeVisible()
    await shot(page, 'scaling')
  })

  test('use case configuration', async ({ page }) => {
    await open(page, 'configuration', '&limits=results.p99_ttft_ms<=700')
    await expect(page.getByText(/configurations keep all limits/)).toBeVisible()
    await expect(page.getByRole('region', { name: 'Server command' })).toBeVisible()
    await shot(page, 'configuration')
  })

  test('use case precision', async ({ page }) => {
    await open(page, 'precision')
    for (const name of ['KV auto', 'fp8 · KV auto', 'fp8 · KV fp8']) {
      await page.getByRole('button', { name: `Details of ${name}`, exact: true }).click()
      await page
        .getByRole('region', { name: 'Configuration', exact: true })
        .getByRole('button', { name: /^Pin to compare/ })
        .click()
    }
    await page.keyboard.press('v')
    await expect(page.getByRole('region', { name: 'Metrics', exact: true }).getByRole('table')).toBeVisible()
    await shot(page, 'precision')
  })

  test('use case regression', async ({ page }) => {
    await page.goto(`${measured().url}${ADDRESSES.regression}&version=tags.release`)
    await page.getByRole('link', { name: /regression.*Median TTFT/ }).click()
    await expect(plot(page).getByRole('slider')).toBeVisible()
    await page.evaluate(() => window.scrollTo(0, 0))
    await shot(page, 'regression')
  })

  test('use case validation', async ({ page }) => {
    for (const role of ['running', 'candidate']) {
      await open(page, 'validation', `&benchmark.max_concurrency=32&tags.role=${role}`)
      await page.getByRole('button', { name: /^Pin as a group/ }).click()
    }
    await page.keyboard.press('v')
    await expect(page.getByRole('region', { name: 'Metrics', exact: true }).getByRole('table')).toBeVisible()
    await shot(page, 'validation')
  })

  test('use case capacity', async ({ page }) => {
    await page.setViewportSize({ width: 1440, height: 1150 })
    await open(page, 'capacity', '&limits=results.p99_ttft_ms<=400&load=500')
    await expect(page.getByRole('region', { name: 'Capacity table' })).toBeVisible()
    await shot(page, 'capacity')
  })
})

test.describe('impact', () => {
  const measured = useDashboard((store, own) => importAll(store, effects(read(own))))
  for (const [name, colorScheme, viewport] of LOOKS) {
    test(`impact ${name}`, async ({ page }) => {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await page.goto(`${measured().url}/impact?input=server.quantization`)
      await expect(page.getByRole('table', { name: 'Effects' })).toBeVisible()
      await expect(page.getByRole('region', { name: 'Pairs table' })).toBeVisible()
      await save(page, `impact-${name}`)
      if (process.env['PROFLLM_WHOLE'])
        await page.screenshot({ path: join(OUT, `impact-${name}-whole.png`), animations: 'disabled', fullPage: true })
    })
  }
})

test.describe('scaling', () => {
  const measured = useDashboard((store, own) => importAll(store, sizes(read(own))))
  for (const [name, colorScheme, viewport] of LOOKS) {
    test(`scaling ${name}`, async ({ page }) => {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await page.goto(`${measured().url}/scaling`)
      await expect(page.getByRole('region', { name: 'Sizes table' })).toBeVisible()
      await expect(page.getByRole('region', { name: 'Server command' })).toBeVisible()
      await save(page, `scaling-${name}`)
    })
  }
})

test.describe('planner', () => {
  const measured = useDashboard((store, own) => importIncomplete(store, read(own)))
  for (const [name, colorScheme, viewport] of LOOKS) {
    if (name === 'phone') continue
    test(`planner ${name}`, async ({ page }) => {
      await page.setViewportSize(viewport)
      await page.emulateMedia({ colorScheme })
      await page.goto(`${measured().url}/pareto?baselines=1&environment.engine.version=0.32.0`)
      await expect(page.locator('[data-baseline]')).toHaveCount(1)
      await page.getByText('Sources and differences').click()
      await save(page, `baselines-${name}`)
      await page.goto(`${measured().url}/pareto`)
      const panel = page.getByRole('region', { name: 'Missing combinations', exact: true })
      await panel.getByRole('button', { name: 'Plan runs' }).click()
      await expect(panel.getByRole('status')).toContainText('1 of 24')
      await panel.screenshot({ path: join(OUT, `missing-${name}.png`), animations: 'disabled' })
    })
  }
})
