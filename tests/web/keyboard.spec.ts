// The keyboard: the number of Tab presses to each region, the effect of arrows, and that no action loses the focus.
import type { Locator, Page } from '@playwright/test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { chips, count, counted, expect, filters, IS_LONG, names, test, useDashboard } from './fixtures'
import { laboratory, SWEEPS, sendPlans, sweepResults } from './laboratory'
import { read, variant, write } from './results'

const TABS_MAX = 25

const dashboard = useDashboard((store, own) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  const documents = [...laboratory(read(own)).slice(0, 54), ...sweepResults(read(own)).slice(0, 6)]
  for (const [at, document] of documents.entries()) write(folder, `${at}.json`, document)
  store.import(folder)
})
test.beforeAll(async ({ request }) => {
  await sendPlans(request, dashboard().url)
})

const grid = (page: Page) => page.getByRole('grid', { name: 'Experiments' })

// Returns the nearest named group, region or table around the focus, and whether an element has the focus.
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: element } = document
    if (!element || element === document.body) return 'nothing'
    if (element.closest('table[role=grid]')) return 'table'
    const group = element.closest('aside [role=group][aria-label]')
    if (group) return `filter ${group.getAttribute('aria-label') ?? ''}`
    if (element.closest('section[aria-label=Tray]')) return 'tray'
    if (element.closest('section[aria-label=Chart]')) return 'chart'
    if (element.closest('section[aria-label=Experiments]'))
      return element.closest('[role=toolbar]') ? 'table tools' : 'status line'
    if (element.closest('main')) return 'answer line'
    return element.closest('aside') ? 'panel' : 'bar'
  })

const isSomewhere = async (page: Page, after: string) => {
  await page.evaluate(
    () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))),
  )
  expect(await focused(page), `after ${after}`).not.toBe('nothing')
}

test('the table and the filter fields are one tab stop each, and 25 presses reach every region', async ({
  page,
  own,
}) => {
  // a reload would give the focus back to its row
  const anew = async () => {
    await page.goto('about:blank')
    await page.goto(dashboard().url)
    await expect(page.getByTestId('plot')).toBeVisible()
    await expect(filters(page).getByRole('checkbox').nth(8)).toBeAttached()
  }
  await anew()
  for (const key of ['j', 'p', 'j', 'p']) await page.keyboard.press(key)
  await page.request.post(`${dashboard().url}/api/upload/batch`, { data: [variant(read(own), { name: 'late' })] })
  await anew()
  await expect(page.getByRole('region', { name: 'Tray' }).getByRole('listitem')).toHaveCount(2)
  await page.request.post(`${dashboard().url}/api/upload/batch`, { data: [variant(read(own), { name: 'later' })] })
  await expect(page.getByRole('button', { name: /^Show \d+ newer/ })).toBeVisible()

  // the whole way, without the skip link
  const way: string[] = []
  for (let i = 0; i < 120 && way.at(-1) !== 'tray'; i++) {
    await page.keyboard.press('Tab')
    way.push(await focused(page))
  }
  expect(way).not.toContain('nothing')
  for (const once of ['table', 'tray', 'filter Fields'])
    expect(
      way.filter((place) => place === once),
      once,
    ).toHaveLength(1)
  expect(way.filter((place) => place.startsWith('filter '))).toHaveLength(1)

  await anew()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter') // the skip link
  await page.request.post(`${dashboard().url}/api/upload/batch`, { data: [variant(read(own), { name: 'latest' })] })
  await expect(page.getByRole('button', { name: /^Show \d+ newer/ })).toBeVisible()
  const reached: Record<string, number> = {}
  for (let tabs = 2; tabs <= TABS_MAX && !('tray' in reached); tabs++) {
    await page.keyboard.press('Tab')
    reached[await focused(page)] ??= tabs
  }
  expect(Object.keys(reached)).toEqual(expect.arrayContaining(['answer line', 'chart', 'table', 'status line', 'tray']))

  await anew()
  const regions: string[] = []
  for (let i = 0; i < 7; i++) {
    await page.keyboard.press('F6')
    regions.push(await focused(page))
  }
  expect(regions).toEqual(['bar', 'bar', 'panel', 'answer line', 'chart', 'table tools', 'tray'])
})

test('in the filters, arrows move between controls, and Tab returns to the last one', async ({ page }) => {
  await page.goto(dashboard().url)
  await expect(filters(page).getByRole('checkbox').nth(8)).toBeAttached()
  const fields = filters(page).getByRole('group', { name: 'Fields', exact: true })
  const at = () =>
    page.evaluate(
      () =>
        document.activeElement?.closest('summary, label, button')?.textContent ??
        document.activeElement?.getAttribute('aria-label') ??
        '',
    )
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  await filters(page).getByRole('searchbox').first().focus()
  await press('Tab')
  expect(await at()).toMatch(/^Model/)
  await press('PageDown')
  expect(await at()).toMatch(/^Hardware/)
  // the head of a section: left closes it, right opens it
  const hardware = fields.locator('details', { has: page.locator('summary', { hasText: /^Hardware/ }) })
  await press('ArrowLeft')
  await expect(hardware).not.toHaveAttribute('open')
  await press('ArrowRight')
  await expect(hardware).toHaveAttribute('open')
  await expect(hardware.getByRole('checkbox').first()).toBeAttached()
  await press('ArrowDown', 'Space')
  await expect(hardware.getByRole('checkbox').first()).toBeChecked()
  const gpu = await at()
  await isSomewhere(page, 'a choice')
  await press('Tab')
  await expect(fields.locator(':focus')).toHaveCount(0)
  await press('Shift+Tab')
  await expect(fields.locator(':focus')).toHaveCount(1)
  expect((await at()).slice(0, 8)).toBe(gpu.slice(0, 8))
  await press('PageUp', 'PageUp')
  expect(await at()).toMatch(/^Model/)
  await press('End')
  await expect(fields.locator(':focus')).toHaveCount(1)
})

test('arrows move in the table; Enter opens, Space selects, s sorts; heads are named only by their label', async ({
  page,
}) => {
  await page.goto(`${dashboard().url}/?sort=run.name&chart=off`)
  await expect(counted(page)).toBeVisible()
  const [first, second] = (await names(page)) as [string, string]
  await page.getByRole('link', { name: first, exact: true }).focus()
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const at = () =>
    page.evaluate(() => {
      const cell = document.activeElement?.closest('[aria-colindex]')
      return [cell?.parentElement?.getAttribute('aria-rowindex'), cell?.getAttribute('aria-colindex')].map(Number)
    })
  const last = Number(await grid(page).getAttribute('aria-colcount'))
  const rows = Number(await grid(page).getAttribute('aria-rowcount'))
  await press('ArrowDown', 'ArrowRight', 'ArrowRight')
  expect(await at()).toEqual([3, 3])
  await press('End')
  expect(await at()).toEqual([3, last])
  expect(
    await page.evaluate(() => (document.activeElement as HTMLElement).getBoundingClientRect().right <= innerWidth + 1),
  ).toBe(true)
  await press('Home', 'Control+End')
  await expect.poll(at).toEqual([rows, last])
  await press('Control+Home', 'ArrowUp', 'ArrowRight')
  expect(await at()).toEqual([1, 2])
  const head = await page.evaluate(() => document.activeElement?.closest('th')?.textContent)
  await expect(page.getByRole('columnheader').nth(1)).toHaveAccessibleName(
    new RegExp(`^${(head ?? '').split(' ')[0] ?? ''}`),
  )
  for (const header of await page.getByRole('columnheader').all())
    await expect(header).not.toHaveAccessibleName(/Width/)
  await press('ArrowDown', 'PageDown')
  expect((await at())[0]).toBeGreaterThan(5)
  await press('Control+Home', 'ArrowDown', 'Space')
  await expect(page.getByRole('checkbox', { name: second, exact: true })).toBeChecked()
  await press('ArrowRight', 's')
  await expect(page.getByRole('columnheader').nth(1)).toHaveAttribute('aria-sort', /ascending|descending/)
  await isSomewhere(page, 'another order')
  await expect(grid(page).locator('..')).not.toHaveAttribute('aria-busy', 'true')
  await press('Control+Home', 'Home')
  const opened = await page.evaluate(() => document.activeElement?.textContent ?? '')
  await press('ArrowRight', 'Enter')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(opened)
  await isSomewhere(page, 'another page')
  await page.goBack()
  await expect(page.getByRole('link', { name: opened, exact: true })).toBeFocused()
  // a row that is scrolled away leaves the focus to the table
  await grid(page)
    .locator('..')
    .evaluate((element) => element.scrollTo(0, element.scrollHeight))
  await expect(page.getByRole('link', { name: opened, exact: true })).toHaveCount(0)
  await isSomewhere(page, 'a scroll')
})

test('a dialog that closes while the page changes gives the focus back', async ({ page }) => {
  await page.goto(dashboard().url)
  const columns = page.getByRole('button', { name: /^Columns/ })
  await columns.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Columns' })).toBeVisible()
  await page.evaluate(async () => {
    document.body.append(document.createElement('i'))
    await Promise.resolve() // the change is noticed before the dialog closes
    document.activeElement?.dispatchEvent(
      new KeyboardEvent('keydown', { key: 'Escape', bubbles: true, cancelable: true }),
    )
  })
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(columns).toBeFocused({ timeout: 2000 })
})

test('no action loses the focus', async ({ page }) => {
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key)
  }
  const act = async (what: string, does: () => Promise<unknown>, then?: () => Promise<unknown>) => {
    await does()
    await then?.()
    await isSomewhere(page, what)
  }
  const button = (name: string | RegExp) => page.getByRole('button', { name }).first()
  const use = async (name: string | RegExp) => {
    await button(name).focus()
    await press('Enter')
  }
  await page.goto(
    `${dashboard().url}/?server.tensor_parallel_size=2,4&system.hardware_info.gpu_name=NVIDIA H200&where=${encodeURIComponent('{"field":"results.p99_ttft_ms","op":"gt","value":0}')}`,
  )
  await expect(page.getByTestId('plot')).toBeVisible()
  await act(
    'a condition is removed',
    () =>
      filters(page)
        .getByRole('button', { name: /^Remove / })
        .first()
        .focus()
        .then(() => press('Enter')),
    () => expect(chips(page)).toHaveCount(2),
  )
  await act(
    'a chip is removed',
    async () => {
      await chips(page).first().focus()
      await press('Delete')
    },
    () => expect(chips(page)).toHaveCount(1),
  )
  await act(
    'Clear all',
    () => use('Clear all'),
    () => expect(chips(page)).toHaveCount(0),
  )
  for (const [key, name] of [
    ['c', 'Columns'],
    ['e', /Export/],
    ['?', /Help/],
    ['/', /^Find/],
  ] as const) {
    await act(
      `${key} and Escape`,
      async () => {
        await press(key)
        await expect(page.getByRole('dialog', { name })).toBeVisible()
        await press('Escape')
      },
      () => expect(page.getByRole('dialog')).toHaveCount(0),
    )
  }
  await act(
    'a row is pinned and taken out of the tray',
    async () => {
      await press('j', 'p')
      await page.getByRole('region', { name: 'Tray' }).getByRole('button').last().focus()
      await press('Enter')
    },
    () => expect(page.getByRole('region', { name: 'Tray' })).toHaveCount(0),
  )
  await act('another order', async () => {
    await page.getByRole('columnheader').nth(2).getByRole('button').focus()
    await press('Enter')
  })
  await act(
    'the chart is hidden',
    () => use('Hide the chart'),
    () => expect(page.getByTestId('plot')).toHaveCount(0),
  )
  await act(
    'the chart is shown',
    () => use(/Show the chart/),
    () => expect(page.getByTestId('plot')).toBeVisible(),
  )
  await act(
    'a link to an experiment',
    async () => {
      await press('j', 'Enter')
    },
    () => expect(page.getByRole('button', { name: 'Delete', exact: true })).toBeVisible(),
  )
  await act(
    'Delete',
    () => use(/^Delete$/),
    () => expect(button('Undo')).toBeVisible(),
  )
  await act(
    'Undo',
    () => use('Undo'),
    () => expect(button('Undo')).toHaveCount(0),
  )
  await act(
    'Back',
    () => page.goBack(),
    () => expect(page.getByTestId('plot')).toBeVisible(),
  )
  // on a phone
  await page.setViewportSize({ width: 390, height: 844 })
  await act(
    'the drawer is closed',
    async () => {
      await use(/^Filters/)
      await expect(page.getByRole('dialog', { name: 'Filters' })).toBeVisible()
      await press('Escape')
    },
    () => expect(page.getByRole('dialog')).toHaveCount(0),
  )
})

test('letters typed into a search or number field are text, never shortcuts', async ({ page }) => {
  const alphabet = 'abcdefghijklmnopqrstuvwxyz'
  await page.goto(`${dashboard().url}/?x=results.p99_ttft_ms&y=results.output_throughput`)
  await expect(page.getByTestId('plot')).toBeVisible()
  const chart = page.getByRole('region', { name: 'Chart' })
  const types = async (input: Locator) => {
    await input.focus()
    await input.fill('')
    await page.keyboard.type(`p99 ${alphabet}`)
    await expect(input).toHaveValue(`p99 ${alphabet}`)
  }
  // all of them are the same component
  for (const name of IS_LONG ? [/^Axis y/, /^Axis x/, /^color/, /^shape/, /^size/] : [/^Axis y/, /^color/]) {
    await chart.getByRole('button', { name }).click()
    const dialog = page.getByRole('dialog')
    await expect(dialog).toHaveCount(1)
    await expect(dialog.getByRole('option').nth(1)).toBeVisible()
    await page.keyboard.press('ArrowDown') // highlights an option, which then receives a copy of each key
    await types(dialog.getByRole('combobox'))
    await expect(page.getByRole('dialog')).toHaveCount(1)
    await page.keyboard.press('Escape')
    if ((await dialog.count()) > 0) await page.keyboard.press('Escape') // the first one clears the text
    await expect(dialog).toHaveCount(0)
  }
  await page.keyboard.press('c')
  await types(page.getByRole('dialog', { name: 'Columns' }).getByRole('searchbox'))
  await page.getByRole('dialog', { name: 'Columns' }).getByRole('button', { name: 'Done' }).click()
  await chart.getByRole('button', { name: 'Chart options' }).click()
  for (const input of await page.getByRole('dialog', { name: 'Chart options' }).getByRole('textbox').all())
    await types(input)
  await page.getByRole('dialog', { name: 'Chart options' }).getByRole('button', { name: 'Done' }).click()
  await chart.getByRole('button', { name: 'Set an SLO' }).click()
  await types(chart.getByRole('group', { name: 'SLO', exact: true }).getByRole('textbox'))
  await expect(page.getByRole('dialog')).toHaveCount(0)
  await expect(page.getByRole('region', { name: 'Tray' })).toHaveCount(0)
})

// The parts of a page that F6 visits, with the first press of Tab that reaches each; 0: none.
async function firstTabs(page: Page, tabs: number) {
  const reached: Record<string, number> = {}
  for (let at = 1; at <= tabs; at++) {
    await page.keyboard.press('Tab')
    const inside = await page.evaluate(() => {
      const regions = [
        ...document.querySelectorAll(
          '#root > header, aside[aria-label], nav[aria-label]:not(header nav), #main, #main section[aria-label]',
        ),
      ]
      return regions
        .filter((region) => region.contains(document.activeElement))
        .map((region) => region.getAttribute('aria-label') ?? (region.id || region.tagName))
    })
    for (const name of inside) reached[name] ??= at
  }
  return reached
}

test('without the skip link, 25 presses reach every region of every page', async ({ page }) => {
  const { url } = dashboard()
  const { rows: found } = (await (
    await page.request.post(`${url}/api/filters/apply`, {
      data: {
        limit: 10,
        filter: {
          and: [
            { field: 'server.tensor_parallel_size', op: 'in', value: [1, 2, 4, 8] },
            { field: 'results.p99_ttft_ms', op: 'gt', value: 0 },
            { field: 'quality.verdict', op: 'eq', value: 'trusted' },
            { not: { field: 'environment.engine.simulated', op: 'eq', value: true } },
          ],
        },
      },
    })
  ).json()) as { rows: { id: number }[] }
  const ids = found.map(({ id }) => id)
  const full = new URLSearchParams({
    'server.tensor_parallel_size': '1,2,4,8',
    where:
      '{"or":[{"field":"results.p99_ttft_ms","op":"gt","value":0},{"field":"run.name","op":"contains","value":"q"}]}',
    slo: 'results.p99_ttft_ms:5000',
    x: 'results.p99_ttft_ms',
    y: 'results.output_throughput',
    select: `${ids[0]},${ids[1]}`,
  })
  const pages: [string, string, Locator, string[]][] = [
    ['Explore', '/', page.getByTestId('plot'), ['HEADER', 'Presets', 'Filters', 'Chart', 'Experiments', 'Tray']],
    [
      'Explore with everything',
      `/?${full.toString()}&point=${ids[2]}`,
      page.getByRole('button', { name: 'Unpin', exact: true }),
      ['Filters', 'Chart', 'Reading', 'Experiments', 'Tray'],
    ],
    ['Experiment', `/experiments/${ids[0]}`, page.getByRole('region', { name: 'Verdict' }), []],
    [
      'Compare',
      `/compare?${ids
        .slice(0, 8)
        .map((id) => `side=${id}`)
        .join('&')}`,
      page.getByRole('region', { name: 'Quality', exact: true }).getByRole('row').first(),
      [],
    ],
    [
      'Trends',
      '/trends?by=time',
      page.getByRole('region', { name: 'Annotations' }),
      ['Verdicts', 'Chart', 'Annotations'],
    ],
    [
      'Two releases',
      '/trends?show=releases&version=benchmark.max_concurrency&a=16&b=64&vary=server.quantization',
      page.getByRole('region', { name: 'Summary', exact: true }),
      ['Summary'],
    ],
    ['Watches', '/trends?show=watches', page.getByRole('region', { name: 'Stored watches' }), ['Add a watch']],
    [
      'Pareto',
      '/pareto?limits=derived.tokens_per_s_per_user>=1',
      page.getByRole('region', { name: 'Configuration', exact: true }),
      ['Limits', 'Chart', 'Configuration'],
    ],
    ['Impact', '/impact', page.getByRole('region', { name: 'Not identifiable' }), []],
    ['Scaling', '/scaling', page.getByRole('heading', { level: 1 }), []],
    ['Live', '/live', page.getByRole('heading', { level: 1 }), []],
    ['Sweeps', '/sweeps', page.getByRole('link', { name: /sweep/i }).last(), []],
    ['Sweep', `/sweeps/${SWEEPS.night.id}`, page.locator('[data-cell]').first(), []],
    ['Upload', '/upload', page.getByRole('heading', { level: 1 }), []],
  ]
  await page.goto(url)
  await expect(page.getByTestId('plot')).toBeVisible()
  for (const key of ['j', 'p', 'j', 'p']) await page.keyboard.press(key)
  await expect(page.getByRole('region', { name: 'Tray' }).getByRole('listitem')).toHaveCount(2)
  const late: string[] = []
  count(test.info())
  for (const [name, path, ready, wanted] of pages) {
    await page.goto('about:blank') // a reload would give the focus back
    await page.goto(url + path)
    await expect(ready).toBeVisible()
    await expect(page.locator('[aria-busy=true]')).toHaveCount(0)
    const all = await page.evaluate(() =>
      [...document.querySelectorAll('#main, #main section[aria-label], aside[aria-label]')]
        .filter((region) =>
          [
            ...region.querySelectorAll<HTMLElement>(
              'a[href], button:not(:disabled), input, select, textarea, summary, [tabindex]',
            ),
          ].some((one) => one.tabIndex >= 0 && one.checkVisibility()),
        )
        .map((region) => region.getAttribute('aria-label') ?? region.id),
    )
    const reached = await firstTabs(page, TABS_MAX)
    for (const region of new Set([...all, ...wanted]))
      if (reached[region] === undefined) late.push(`${name}: ${region} after more than ${TABS_MAX}`)
    count(test.info(), `${name}: regions`)
  }
  expect(late).toEqual([])
})
