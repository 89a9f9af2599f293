// Every page of the web UI in every state that a user can meet. Tests and pictures that go over all states take them
// from here: states.spec.ts, and look.ts for 'tools/web look'.
import { type APIRequestContext, expect, type Locator, type Page } from '@playwright/test'
import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { KINDS } from '../../web/src/chart/kind-rows'
import { CHART_KINDS, type ChartKind } from '../../web/src/url/chart'
import { type Dashboard, test, useDashboard } from './fixtures'
import { laboratory, sendPlans, sides, SWEEPS, sweepResults } from './laboratory'
import { history } from './history'
import { effects } from './effects'
import { frontiers } from './frontiers'
import { IMPACT_STATES } from './impact-states'
import { SCALING_STATES } from './scaling-states'
import { sizes } from './sizes'
import { LIVE_STATES } from './live-states'
import { little, program, read, variant, vllmResult, write } from './results'
import { PARETO_STATES } from './pareto-states'
import { STATUS_STATES } from './status-states'
import { hold, main, settle } from './settle'
import { TRENDS_STATES } from './trends-states'

export interface World {
  full: Dashboard // a laboratory's results, those of its sweeps and one of each special kind
  inbox: Dashboard // takes uploads and changes; two results at the start
  empty: Dashboard
  trends: Dashboard // results of two releases
  frontiers: Dashboard // repeated results of several configurations
  effects: Dashboard // results with known effects of inputs
  sizes: Dashboard // results over parallel sizes
  files: { own: string; broken: string; changed: string; notes: string }
}

export interface State {
  name: string
  page:
    | 'Explore'
    | 'Chart'
    | 'Experiment'
    | 'Compare'
    | 'Trends'
    | 'Pareto'
    | 'Impact'
    | 'Scaling'
    | 'Live'
    | 'Sweeps'
    | 'Upload'
    | 'Other'
  open: (page: Page, world: World) => Promise<void> // resolves when the page has settled
  isPhone?: true // only there
  isWide?: true // not on a phone: it needs the table or the panel of filters
  prints?: true // the page on paper is looked at in this state
  complains?: RegExp // what the browser's console may say
}

export const PHONE = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }

// ---- data of the states -----------------------------------------------------------------------------------------

// As 'vllm bench latency --output-json' writes it.
const LATENCY = {
  model_id: 'org/model',
  avg_latency: 1.5,
  latencies: [1, 2],
  percentiles: { 10: 1.1, 25: 1.25, 50: 1.5, 75: 1.75, 90: 1.9, 99: 1.99 },
}

// A server that exits before it is ready.
export function failedLaunch(folder: string) {
  const config = write(folder, 'failed.yaml', {
    name: 'failed-launch',
    server: { model: 'sim/test', max_model_len: 2048, tensor_parallel_size: 2 },
    launch: { command: ['/bin/sh', '-c', 'echo "ValueError: no room for the KV cache" >&2; exit 3'], gpus: [] },
    benchmark: {
      backend: 'openai',
      dataset_name: 'random',
      random_input_len: 16,
      random_output_len: 4,
      num_prompts: 4,
    },
  })
  const path = join(folder, 'failed-launch.json')
  try {
    execFileSync(program('profllm'), ['run', '--config', config, '--output', path, '--quiet'], { stdio: 'pipe' })
  } catch {
    return path // status 4: the launch failed, and the result says so
  }
  throw new Error('the launch should have failed')
}

// Traces of two ranks, of the run with this ID.
async function sendTraces(request: APIRequestContext, url: string, run: string) {
  for (const rank of [0, 1]) {
    const event = (cat: string, name: string, ts: number, dur: number) => ({
      ph: 'X',
      cat,
      name,
      ts,
      dur,
      pid: 0,
      tid: 7,
    })
    const traceEvents = [
      event('cpu_op', 'aten::mm', 0, 400),
      event('kernel', 'sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize128x128x64_warpgroupsize1x1x1', 40, 180),
      event('kernel', 'ncclDevKernel_AllReduce_Sum_bf16_RING_LL', 240, 60 + 20 * rank),
    ]
    const sent = await request.put(`${url}/api/upload/artifact/${run}/trace/ours.trace.rank${rank}.json`, {
      data: Buffer.from(JSON.stringify({ traceEvents })),
      headers: { 'Content-Type': 'application/octet-stream' },
    })
    expect(sent.ok()).toBe(true)
  }
}

// Servers and files for the tests of one file in one worker.
export function useWorld() {
  const full = useDashboard(async (store, own) => {
    const folder = mkdtempSync(join(store.folder, 'files-'))
    const base = read(own)
    const bare = { ...little(1), run_id: 'bare', name: 'no-verdict' }
    const odd = {
      ...little(2),
      run_id: 'odd',
      name: 'odd-checks',
      quality: {
        verdict: 'client_limited',
        checks: [{ id: 'client_error', status: 'over_limit', effect: 'degraded', unit: 'share' }, 'x', null],
      },
    }
    const documents = [...laboratory(base), ...sides(base), ...sweepResults(base), bare, odd]
    for (const [at, document] of documents.entries()) write(folder, `${at}.json`, document)
    store.import(await vllmResult(store.folder)) // 1
    store.import(write(store.folder, 'latency.json', LATENCY)) // 2
    store.import(folder, own, failedLaunch(store.folder))
  })
  const inbox = useDashboard((store, own) => {
    const spare = variant(read(own), { name: 'spare' })
    store.import(own, write(store.folder, 'spare.json', spare))
  })
  const empty = useDashboard()
  const trends = useDashboard((store, own) => {
    const files = mkdtempSync(join(store.folder, 'files-'))
    for (const [at, document] of history(read(own)).entries()) write(files, `${at}.json`, document)
    store.import(files)
  })
  const choices = useDashboard((store, own) => {
    const documents = mkdtempSync(join(store.folder, 'files-'))
    for (const [at, document] of frontiers(read(own)).entries()) write(documents, `${at}.json`, document)
    store.import(documents)
  })
  const known = useDashboard((store, own) => {
    const documents = mkdtempSync(join(store.folder, 'files-'))
    for (const [at, document] of effects(read(own)).entries()) write(documents, `${at}.json`, document)
    store.import(documents)
  })
  const scaled = useDashboard((store, own) => {
    const documents = mkdtempSync(join(store.folder, 'files-'))
    for (const [at, document] of sizes(read(own)).entries()) write(documents, `${at}.json`, document)
    store.import(documents)
  })
  let files: World['files']
  test.beforeAll(async ({ own, folder, request }) => {
    await sendPlans(request, full().url)
    await sendTraces(request, full().url, read(own).run_id)
    const [broken, changed] = [read(own), read(own)]
    broken.results.p99_ttft_ms = 'n/a'
    changed.results.p99_ttft_ms += 1
    files = {
      own,
      broken: write(folder, 'broken.json', broken),
      changed: write(folder, 'changed.json', changed),
      notes: write(folder, 'notes.txt', 'Remember the milk.'),
    }
  })
  return (): World => ({
    full: full(),
    inbox: inbox(),
    empty: empty(),
    trends: trends(),
    frontiers: choices(),
    effects: known(),
    sizes: scaled(),
    files,
  })
}

// ---- ways to reach the states ------------------------------------------------------------------------------------

const dialog = (page: Page) => page.getByRole('dialog').last()
const tray = (page: Page) => page.getByRole('region', { name: 'Tray' })
const plot = (page: Page) => page.getByTestId('plot')

const rows = (page: Page) =>
  page.locator('#main').getByRole('rowheader').or(page.locator('#main').getByRole('listitem')) // on a phone cards
const explore =
  (query: string, shown: (page: Page) => Locator = rows, then?: (page: Page) => Promise<unknown>) =>
  async (page: Page, { full }: World) => {
    await page.goto(`${full.url}/?${query}`)
    await settle(page, main(page).getByRole('status').filter({ hasText: 'experiments' }), shown(page))
    if (!then) return
    await then(page)
    await settle(page)
  }
const chart = (query: string, then?: (page: Page) => Promise<unknown>) => explore(query, plot, then)
const press =
  (...keys: string[]) =>
  async (page: Page) => {
    for (const key of keys) await page.keyboard.press(key)
  }
const opens =
  (...keys: string[]) =>
  async (page: Page) => {
    await press(...keys)(page)
    await expect(dialog(page)).toBeVisible()
  }

async function ids({ full }: World, page: Page, ...names: string[]) {
  const filter = { field: 'run.name', op: 'in', value: names }
  const { rows: found } = await (
    await page.request.post(`${full.url}/api/filters/apply`, {
      data: { filter, limit: 100, sort: [{ field: 'run.name', dir: 'asc' }] },
    })
  ).json()
  return (found as { id: number }[]).map(({ id }) => id)
}
const idOf = async (world: World, page: Page, name: string) => (await ids(world, page, name))[0] as number

const experiment =
  (name: string, then?: (page: Page, world: World) => Promise<unknown>) => async (page: Page, world: World) => {
    await page.goto(`${world.full.url}/experiments/${await idOf(world, page, name)}`)
    await settle(page, page.getByRole('heading', { level: 1 }).filter({ hasText: name }))
    await then?.(page, world)
    await settle(page)
  }

const numbered =
  (id: number) =>
  async (page: Page, { full }: World) => {
    await page.goto(`${full.url}/experiments/${id}`)
    await settle(page, page.getByRole('region', { name: 'Verdict' }))
  }

const THREE = ['qwen72-h200-fp8-tp8-c64', 'qwen72-h100-fp8-tp8-c64', 'qwen72-b200-nvfp4-tp8-c64']
const EIGHT = [
  ...THREE,
  ...[2, 4, 8].map((size) => `gpt-oss-h100-tp${size}-c64`),
  ...[2, 4].map((size) => `gpt-oss-b200-tp${size}-c64`),
]
const compare =
  (sidesOf: (page: Page, world: World) => Promise<unknown[]>, more = '', then?: (page: Page) => Promise<unknown>) =>
  async (page: Page, world: World) => {
    const query = (await sidesOf(page, world))
      .map((side) => `side=${encodeURIComponent(typeof side === 'number' ? side : JSON.stringify(side))}`)
      .join('&')
    await page.goto(`${world.full.url}/compare?${query}${more}`)
    await settle(page, page.getByRole('region', { name: 'Quality', exact: true }).getByRole('row'))
    await then?.(page)
    await settle(page)
  }
const these = (names: string[]) => (page: Page, world: World) => ids(world, page, ...names)
const groups = () =>
  Promise.resolve(
    ['NVIDIA H200', 'NVIDIA B200'].map((gpu) => ({
      label: gpu,
      filter: { field: 'system.hardware_info.gpu_name', op: 'in', value: [gpu] },
    })),
  )

const sweep =
  (id: string, then?: (page: Page) => Promise<unknown>) =>
  async (page: Page, { full }: World) => {
    await page.goto(`${full.url}/sweeps/${id}`)
    await settle(page, page.locator('[data-cell]'))
    await then?.(page)
    await settle(page)
  }

// Runs in every state; two of them report until the tests of the file end.
const send =
  (
    which: (world: World) => string[],
    then: (page: Page, world: World) => Promise<unknown>,
    before?: (page: Page) => Promise<unknown>,
  ) =>
  async (page: Page, world: World) => {
    await before?.(page)
    await page.goto(`${world.inbox.url}/upload`)
    await page.getByTestId('files').setInputFiles(which(world))
    await then(page, world)
    await settle(page)
  }
const uploaded = async (page: Page, count: number) => {
  await expect(page).toHaveURL(/\/upload\/[\w-]+$/)
  await expect(page.getByRole('table', { name: /^Files/ }).getByRole('rowheader')).toHaveCount(count)
  await expect(page.getByRole('progressbar').first()).toHaveAttribute('aria-valuenow', String(count))
  await expect(page.getByText('closing the upload')).toHaveCount(0)
}

const TREE = {
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
const AXES = 'y=results.output_throughput&x=results.p99_ttft_ms&color=system.hardware_info.gpu_name'
// The kinds of charts with other axes than those that the page chooses.
const CHARTS: Partial<Record<ChartKind, string>> = {
  scatter: `${AXES}&size=benchmark.max_concurrency`,
  line: 'chart=line&y=results.output_throughput&x=benchmark.max_concurrency&color=server.model&stat=mean&spread=ci',
  bar: 'chart=bar&y=results.output_throughput&x=server.tensor_parallel_size&color=system.hardware_info.gpu_name',
  box: 'chart=box&y=results.p99_ttft_ms&x=server.model&color=system.hardware_info.gpu_name',
  histogram: 'chart=histogram&x=results.p99_ttft_ms&color=server.model',
  heat: 'chart=heat&x=benchmark.max_concurrency&y=server.model&value=results.output_throughput&server.tensor_parallel_size=2,4',
  parallel:
    'chart=parallel&axes=server.model,system.hardware_info.gpu_name,server.tensor_parallel_size,benchmark.max_concurrency,results.p99_ttft_ms,results.output_throughput&color=results.output_throughput',
}
const GPU = 'system.hardware_info.gpu_name=NVIDIA B200,NVIDIA H200'
const PIN = ['j', 'p', 'j', 'p', 'j', 'p']
const AWAY = /ERR_CONNECTION_REFUSED/

export const STATES: State[] = [
  // Explore: the table
  {
    page: 'Explore',
    name: 'first run',
    open: async (page, { empty }) => {
      await page.goto(empty.url)
      await settle(page, page.getByRole('heading', { level: 2 }))
    },
  },
  {
    page: 'Explore',
    name: 'loading',
    open: async (page, { full }) => {
      await hold(page, '**/api/filters/apply')
      await page.goto(full.url)
      await expect(
        page
          .getByRole('status', { name: /^(Waiting|Loading)/ })
          .locator('i')
          .first(),
      ).toBeVisible()
    },
  },
  { page: 'Explore', name: 'all', open: explore(''), prints: true },
  {
    page: 'Explore',
    name: 'filtered',
    open: explore(`${GPU}&server.tensor_parallel_size=2,4,8&results.p99_ttft_ms=..900&sort=-results.output_throughput`),
  },
  {
    page: 'Explore',
    name: 'no match',
    open: explore(`${GPU}&results.p99_ttft_ms=..0.001`, (page) => main(page).getByRole('heading', { level: 2 })),
  },
  {
    page: 'Explore',
    name: 'refused',
    open: async (page, { full }) => {
      await page.goto(`${full.url}/?sort=-results.output_througput`)
      await settle(page, page.getByRole('alert'))
    },
    complains: /422/,
  },
  {
    page: 'Explore',
    name: 'server away',
    isWide: true,
    complains: AWAY,
    open: explore('', rows, async (page) => {
      await page.route('**/api/**', (route) => route.abort('connectionrefused'))
      await page.getByRole('complementary', { name: 'Filters' }).getByText('degraded').first().click()
      await expect(
        page
          .getByRole('alert')
          .or(page.getByText(/showing data|unreachable|no answer/i))
          .first(),
      ).toBeVisible()
    }),
  },
  {
    page: 'Explore',
    name: 'newer data',
    isWide: true,
    open: async (page, { inbox, files }) => {
      await page.goto(inbox.url)
      await settle(page, rows(page))
      // another name each time: a second upload of the same content changes nothing
      const added = variant(read(files.own), { name: `added ${Date.now()}` })
      await page.request.post(`${inbox.url}/api/upload/batch`, { data: [added] })
      await expect
        .poll(async () => {
          await page.evaluate(() => window.dispatchEvent(new Event('focus')))
          return page.getByRole('button', { name: /^Show \d+ newer$/ }).count()
        })
        .toBeGreaterThan(0)
    },
  },
  {
    page: 'Explore',
    name: 'several sort keys, selected rows',
    isWide: true,
    open: explore('sort=server.model,-results.output_throughput', rows, press('j', 'x', 'j', 'x')),
  },
  {
    page: 'Explore',
    name: 'pinned tray',
    isWide: true,
    open: explore('', rows, async (page) => {
      await press(...PIN)(page)
      await expect(tray(page).getByRole('listitem')).toHaveCount(3)
    }),
  },
  { page: 'Explore', name: 'column picker', open: explore('', rows, opens('c')) },
  {
    page: 'Explore',
    name: 'tree editor',
    isWide: true,
    open: explore(`${GPU}&where=${encodeURIComponent(JSON.stringify(TREE))}`, rows, async (page) => {
      await main(page)
        .getByRole('toolbar', { name: 'Filter tools' })
        .getByRole('button', { name: /filter tree/i })
        .click()
      await expect(page.getByRole('region', { name: /as a tree|tree/i })).toBeVisible()
    }),
  },
  { page: 'Explore', name: 'export dialog', open: explore('', rows, opens('e')) },
  {
    page: 'Explore',
    name: 'preset dialog',
    open: explore(GPU, rows, async (page) => {
      await page
        .getByRole('button', { name: /Save as|preset/i })
        .first()
        .click()
      await expect(dialog(page)).toBeVisible()
    }),
  },
  {
    page: 'Explore',
    name: 'filter search',
    isWide: true,
    open: explore('', rows, async (page) => {
      await press('f')(page)
      await page.keyboard.type('ttft')
      await expect(
        page.getByRole('complementary', { name: 'Filters' }).getByRole('group', { name: /^P99 TTFT/ }),
      ).toBeVisible()
    }),
  },
  {
    page: 'Explore',
    name: 'many columns',
    isWide: true,
    open: explore(
      `columns=${['run.name', ...Array.from({ length: 9 }, (_, i) => `results.p${[1, 5, 10, 25, 50, 75, 90, 95, 99][i]}_ttft_ms`), 'server.model', 'server.quantization', 'server.max_num_seqs', 'benchmark.num_prompts'].join(',')}`,
    ),
  },
  { page: 'Explore', name: 'phone', isPhone: true, open: explore('', (page) => page.getByRole('listitem')) },
  {
    page: 'Explore',
    name: 'phone, filters',
    isPhone: true,
    open: explore(
      GPU,
      (page) => page.getByRole('listitem'),
      async (page) => {
        await page.getByRole('button', { name: /^Filters/ }).tap()
        await expect(dialog(page).getByRole('checkbox').first()).toBeVisible()
      },
    ),
  },
  {
    page: 'Explore',
    name: 'phone, sort',
    isPhone: true,
    open: explore(
      '',
      (page) => page.getByRole('listitem'),
      async (page) => {
        await page.getByRole('button', { name: /^Sort/ }).tap()
        await expect(dialog(page)).toBeVisible()
      },
    ),
  },
  {
    page: 'Explore',
    name: 'phone, columns',
    isPhone: true,
    open: explore(
      '',
      (page) => page.getByRole('listitem'),
      async (page) => {
        await page.getByRole('button', { name: /^Columns/ }).tap()
        await expect(dialog(page)).toBeVisible()
      },
    ),
  },

  // Explore: the chart
  {
    page: 'Chart',
    name: 'scatter, frontier and reading',
    open: chart(`${AXES}&log=y`, async (page) => {
      await plot(page).focus()
      await press('ArrowRight', 'ArrowRight', 'ArrowRight', 'Enter')(page)
      await expect(page.getByRole('complementary', { name: 'Reading' }).getByRole('link')).toBeVisible()
    }),
  },
  ...CHART_KINDS.map(
    (kind): State => ({
      page: 'Chart',
      name: KINDS[kind].words.toLowerCase(),
      open: chart(CHARTS[kind] ?? `chart=${kind}`),
    }),
  ),
  {
    page: 'Chart',
    name: 'as a table',
    open: explore(`${AXES}&as=table`, (page) => page.getByRole('group', { name: /^Table of the chart/ })),
  },
  {
    page: 'Chart',
    name: 'nothing to draw',
    open: explore(`${AXES}&run.name=no-verdict`, (page) =>
      page.getByRole('region', { name: 'Chart', exact: true }).getByRole('note'),
    ),
  },
  { page: 'Chart', name: 'hidden', open: explore('chart=off') },
  {
    page: 'Chart',
    name: 'guard details',
    open: chart(AXES, async (page) => {
      await page
        .getByRole('note', { name: 'About this chart' })
        .getByRole('button', { name: /fields|Details/i })
        .click()
    }),
  },
  {
    page: 'Chart',
    name: 'matched',
    open: explore(`${AXES}&match=1`, (page) => page.getByRole('region', { name: 'Chart', exact: true })),
  },
  {
    page: 'Chart',
    name: 'options',
    open: chart(AXES, async (page) => {
      await page
        .getByRole('region', { name: 'Chart', exact: true })
        .getByRole('button', { name: /^More|options/i })
        .click()
      await expect(dialog(page)).toBeVisible()
    }),
  },
  {
    page: 'Chart',
    name: 'axis chosen',
    open: chart(AXES, async (page) => {
      await page
        .getByRole('region', { name: 'Chart', exact: true })
        .getByRole('button', { name: /^(Axis )?y\b/i })
        .click()
      await expect(dialog(page)).toBeVisible()
    }),
  },
  {
    page: 'Chart',
    name: 'loading',
    open: async (page, { full }) => {
      await hold(page, '**/api/data/points')
      await page.goto(`${full.url}/?${AXES}`)
      await expect(rows(page).first()).toBeVisible()
      await expect(page.getByRole('region', { name: 'Chart', exact: true })).toBeVisible()
    },
  },
  {
    page: 'Chart',
    name: 'phone, parallel axes',
    isPhone: true,
    open: chart(
      'chart=parallel&axes=server.model,server.tensor_parallel_size,results.output_throughput&color=results.output_throughput',
    ),
  },

  // Experiment
  { page: 'Experiment', name: 'own result, simulated', open: experiment('ours'), prints: true },
  {
    page: 'Experiment',
    name: 'timeline',
    open: experiment('ours', async (page) => {
      const timeline = page.getByRole('region', { name: 'Timeline', exact: true })
      await expect(timeline.locator('[data-lane]').first()).toBeVisible()
      await timeline.getByRole('slider').focus()
      for (let i = 0; i < 6; i++) await page.keyboard.press('PageUp')
      await timeline.evaluate((section) => section.scrollIntoView())
    }),
  },
  {
    page: 'Experiment',
    name: 'timeline as a table',
    open: experiment('ours', async (page) => {
      const timeline = page.getByRole('region', { name: 'Timeline', exact: true })
      await timeline.getByText('Table', { exact: true }).click()
      await expect(timeline.getByRole('table')).toBeVisible()
      await timeline.evaluate((section) => section.scrollIntoView())
    }),
  },
  {
    page: 'Experiment',
    name: 'requests',
    open: experiment('ours', async (page) => {
      const requests = page.getByRole('region', { name: 'Requests', exact: true })
      await requests.getByRole('slider', { name: 'Requests in lanes' }).focus()
      await page.keyboard.press('End')
      await page.keyboard.press('Enter')
      await expect(page).toHaveURL(/req=/)
      await requests.evaluate((section) => section.scrollIntoView())
    }),
  },
  {
    page: 'Experiment',
    name: 'requests, percentiles as a table and no match',
    open: experiment('ours', async (page) => {
      const requests = page.getByRole('region', { name: 'Requests', exact: true })
      await requests.getByText('Table', { exact: true }).click()
      await expect(requests.getByRole('region', { name: 'Percentiles table' })).toBeVisible()
      await requests.getByLabel('Part of the request ID').fill('no such ID')
      await page.keyboard.press('Enter')
      await expect(requests.getByText('No request matches.').first()).toBeVisible()
      await requests.evaluate((section) => section.scrollIntoView())
    }),
  },
  {
    page: 'Experiment',
    name: 'log with a search',
    open: experiment('failed-launch', async (page) => {
      const log = page.getByRole('region', { name: 'Server log', exact: true })
      await log.getByRole('searchbox').fill('kv cache')
      await expect(log.getByRole('status')).toHaveText('1 of 1')
      await log.evaluate((section) => section.scrollIntoView())
    }),
  },
  {
    page: 'Experiment',
    name: 'traces',
    open: experiment('ours', async (page) => {
      const traces = page.getByRole('region', { name: 'Traces', exact: true })
      await traces.evaluate((section) => section.scrollIntoView())
      await expect(traces.getByRole('region', { name: 'Top kernels' })).toBeVisible()
    }),
  },
  {
    page: 'Experiment',
    name: 'commands of a file of vllm bench serve',
    open: async (page, world) => {
      await numbered(1)(page, world)
      const commands = page.getByRole('region', { name: 'Commands', exact: true })
      await commands.evaluate((section) => section.scrollIntoView())
      await expect(commands.getByRole('group', { name: 'Not recorded' })).toBeVisible()
    },
  },
  { page: 'Experiment', name: 'degraded', open: experiment('qwen72-h100-fp8-tp8-c64') },
  { page: 'Experiment', name: 'client limited', open: experiment('odd-checks') },
  { page: 'Experiment', name: 'no verdict', open: experiment('no-verdict') },
  { page: 'Experiment', name: 'failed launch', open: experiment('failed-launch') },
  { page: 'Experiment', name: 'file of vllm bench serve', open: numbered(1) },
  { page: 'Experiment', name: 'file of vllm bench latency', open: numbered(2) },
  {
    page: 'Experiment',
    name: 'notes edited',
    open: experiment('ours', async (page) => {
      await page
        .getByRole('region', { name: 'Tags and notes', exact: true })
        .getByRole('button', { name: 'Edit' })
        .click()
      await page.getByLabel('Notes').last().fill('Fan of GPU 3 was off.')
    }),
  },
  {
    page: 'Experiment',
    name: 'deleted, undo',
    open: async (page, { inbox }) => {
      await page.request.post(`${inbox.url}/api/data/experiments/2/restore`, { data: {} })
      await page.goto(`${inbox.url}/experiments/2`)
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await settle(page, page.getByRole('button', { name: 'Undo' }))
    },
    complains: /410/,
  },
  {
    page: 'Experiment',
    name: 'deleted before',
    open: async (page, { inbox }) => {
      await page.request.delete(`${inbox.url}/api/data/experiments/2`)
      await page.goto(`${inbox.url}/experiments/2`)
      await settle(page, main(page).getByRole('button').or(main(page).getByRole('alert')))
    },
    complains: /410/,
  },
  {
    page: 'Experiment',
    name: 'not found',
    open: async (page, { full }) => {
      await page.goto(`${full.url}/experiments/999999`)
      await settle(page, page.getByRole('alert'))
    },
    complains: /404/,
  },
  {
    page: 'Experiment',
    name: 'loading',
    open: async (page, { full }) => {
      await hold(page, '**/api/data/experiments/1')
      await page.goto(`${full.url}/experiments/1`)
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    },
  },
  { page: 'Experiment', name: 'phone', isPhone: true, open: experiment('ours') },

  // Compare
  {
    page: 'Compare',
    name: 'nothing pinned',
    open: async (page, { full }) => {
      await page.goto(`${full.url}/compare`)
      await settle(page, main(page).getByRole('link'))
    },
  },
  { page: 'Compare', name: 'two', open: compare(these(THREE.slice(0, 2))), prints: true },
  {
    page: 'Compare',
    name: 'three, equal ones shown',
    open: compare(these(THREE), '&equal=1', (page) =>
      page.getByRole('region', { name: 'Equal parameters' }).scrollIntoViewIfNeeded(),
    ),
  },
  { page: 'Compare', name: 'eight', open: compare(these(EIGHT)) },
  { page: 'Compare', name: 'groups', open: compare(groups) },
  { page: 'Compare', name: 'groups, cells matched', open: compare(groups, '&match=1') },
  {
    page: 'Compare',
    name: 'one side failed',
    open: compare(async (page, world) => [await idOf(world, page, 'ours'), await idOf(world, page, 'failed-launch')]),
  },
  {
    page: 'Compare',
    name: 'one is missing',
    open: async (page, world) => {
      await page.goto(`${world.full.url}/compare?side=${await idOf(world, page, 'ours')}&side=999999`)
      await settle(
        page,
        main(page).getByRole('alert').or(main(page).getByRole('table')).or(main(page).getByRole('listitem')),
      )
    },
    complains: /404|422|410/,
  },
  { page: 'Compare', name: 'phone', isPhone: true, open: compare(these(THREE)) },

  ...TRENDS_STATES,
  ...PARETO_STATES,
  ...IMPACT_STATES,
  ...SCALING_STATES,

  ...LIVE_STATES,

  // Sweeps
  {
    page: 'Sweeps',
    name: 'none',
    open: async (page, { empty }) => {
      await page.goto(`${empty.url}/sweeps`)
      await settle(page, main(page).getByText('profllm sweep run').first())
    },
  },
  {
    page: 'Sweeps',
    name: 'list',
    open: async (page, { full }) => {
      await page.goto(`${full.url}/sweeps`)
      await settle(page, rows(page))
    },
  },
  {
    page: 'Sweeps',
    name: 'running, with failures',
    open: sweep(SWEEPS.night.id, async (page) => {
      await page.locator('[data-cell="8-128-64"]').focus()
    }),
    prints: true,
  },
  { page: 'Sweeps', name: 'ended', open: sweep(SWEEPS.whole.id) },
  { page: 'Sweeps', name: 'without a plan', open: sweep(SWEEPS.unplanned.id) },
  {
    page: 'Sweeps',
    name: 'unknown',
    open: async (page, { full }) => {
      await page.goto(`${full.url}/sweeps/swp_none`)
      await settle(page, main(page).getByRole('alert').or(main(page).getByText('swp_none')))
    },
    complains: /404/,
  },
  { page: 'Sweeps', name: 'phone', isPhone: true, open: sweep(SWEEPS.night.id) },

  // Upload
  {
    page: 'Upload',
    name: 'empty',
    open: async (page, { empty }) => {
      await page.goto(`${empty.url}/upload`)
      await settle(page, main(page).getByRole('button'))
    },
  },
  {
    page: 'Upload',
    name: 'sending',
    open: send(
      ({ files }) => [files.own, files.broken],
      (page) => expect(page.getByRole('progressbar').first()).toBeVisible(),
      (page) => hold(page, '**/api/upload/batch?*'),
    ),
  },
  {
    page: 'Upload',
    name: 'faults',
    open: send(
      ({ files }) => [files.own, files.broken, files.notes],
      async (page) => {
        await uploaded(page, 3)
        await expect(page.getByRole('row', { name: /p99_ttft_ms/ }).first()).toBeVisible()
      },
    ),
  },
  {
    page: 'Upload',
    name: 'conflict with its diff',
    open: send(
      ({ files }) => [files.changed],
      async (page) => {
        await uploaded(page, 1)
        const row = page.getByRole('row', { name: /^conflict changed\.json/ })
        await expect(row).toContainText('conflict')
        await expect(row.getByRole('button', { name: 'Hide choices' })).toBeVisible()
        await expect(page.getByRole('columnheader', { name: /values differ$/ })).toBeVisible()
        await expect(page.getByRole('button', { name: /^Apply to changed/ })).toBeVisible()
      },
    ),
  },
  {
    page: 'Upload',
    name: 'done',
    open: async (page, world) => {
      const one = write(
        world.inbox.folder,
        `new-${Date.now()}.json`,
        variant(read(world.files.own), { name: 'new one' }),
      )
      await send(
        () => [one],
        (at) => uploaded(at, 1),
      )(page, world)
    },
  },
  {
    page: 'Upload',
    name: 'earlier ones',
    open: async (page, world) => {
      await page.request.post(`${world.inbox.url}/api/upload/batch`, {
        data: [variant(read(world.files.own), { name: 'earlier' })],
      })
      await page.goto(`${world.inbox.url}/upload`)
      await settle(page, rows(page).or(main(page).getByRole('table')))
    },
  },
  {
    page: 'Upload',
    name: 'unknown',
    open: async (page, { inbox }) => {
      await page.goto(`${inbox.url}/upload/none`)
      await settle(page, page.getByRole('alert'))
    },
    complains: /404/,
  },
  {
    page: 'Upload',
    name: 'phone',
    isPhone: true,
    open: send(
      ({ files }) => [files.own, files.notes],
      (page) => uploaded(page, 2),
    ),
  },

  ...STATUS_STATES,

  // everywhere
  { page: 'Other', name: 'find, empty', open: explore('', rows, opens('/')) },
  {
    page: 'Other',
    name: 'find, results',
    open: explore('', rows, async (page) => {
      await opens('/')(page)
      await page.keyboard.type('llama')
      await expect(page.getByRole('option').first()).toBeVisible()
    }),
  },
  {
    page: 'Other',
    name: 'find, nothing',
    open: explore('', rows, async (page) => {
      await opens('/')(page)
      await page.keyboard.type('zzqx')
      await expect(dialog(page).getByText('No experiment, field or value matches.')).toBeVisible()
    }),
  },
  { page: 'Other', name: 'help', open: explore('', rows, opens('?')) },
  {
    page: 'Other',
    name: 'files dragged over',
    open: explore('', rows, async (page) => {
      await page.dispatchEvent('body', 'dragenter', {
        dataTransfer: await page.evaluateHandle(() => {
          const data = new DataTransfer()
          data.items.add(new File(['{}'], 'a.json', { type: 'application/json' }))
          return data
        }),
      })
    }),
  },
  {
    page: 'Other',
    name: 'missing page',
    open: async (page, { full }) => {
      await page.goto(`${full.url}/nowhere`)
      await settle(page, page.getByRole('heading', { level: 1 }))
    },
  },
  {
    page: 'Other',
    name: 'crash',
    complains: /./,
    open: async (page, { full }) => {
      await page.route('**/assets/compare-*.js', (route) => route.abort())
      await page.goto(full.url)
      await settle(page, rows(page))
      await page
        .getByRole('link', { name: /^Compare/ })
        .first()
        .click()
      await settle(page, page.getByRole('alert'))
    },
  },
]
