import type { Locator } from '@playwright/test'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { chips, counted, expect, filters, names, test, tick, useDashboard } from './fixtures'
import { read, variant, write } from './results'

const SIZES = [1, 2, 4, 8]
const QUANTIZATIONS = ['fp8', 'nvfp4', null]
const RUNS = 48

interface Run {
  name: string
  size: number
  quantization: string | null
  p99: number
  output: number
}

// The history of a page has at most 50 entries, and a used one is full. Tests here count its entries.
test.use({ reuseContext: false })

// p99 of a run is its number times ten, so that a range follows from it
const runs: Run[] = Array.from({ length: RUNS }, (_, i) => ({
  name: `run-${String(i + 1).padStart(2, '0')}`,
  size: SIZES[i % SIZES.length] as number,
  quantization: QUANTIZATIONS[i % QUANTIZATIONS.length] as string | null,
  p99: (i + 1) * 10 + 0.25,
  output: 1000 + ((i * 7) % RUNS),
}))

const dashboard = useDashboard((store, own) => {
  const folder = mkdtempSync(join(store.folder, 'files-'))
  const base = read(own)
  for (const run of runs) {
    write(
      folder,
      `${run.name}.json`,
      variant(base, {
        name: run.name,
        tensor_parallel_size: run.size,
        quantization: run.quantization,
        p99_ttft_ms: run.p99,
        output_throughput: run.output,
        verdict: 'trusted',
      }),
    )
  }
  store.import(folder)
})

const facet = (page: import('@playwright/test').Page, name: string) =>
  filters(page).getByRole('group', { name, exact: true })

test('two fields and a range filter the results; the address restores them in another browser', async ({
  page,
  browser,
}) => {
  await page.goto(dashboard().url)
  await expect(counted(page)).toHaveText(`${RUNS} of ${RUNS} experiments`)

  await tick(page, 'Tensor parallel size', / 2,/)
  await expect(counted(page)).toHaveText(`12 of ${RUNS} experiments`)
  await tick(page, 'Tensor parallel size', / 4,/)
  await expect(counted(page)).toHaveText(`24 of ${RUNS} experiments`)
  await tick(page, 'Quantization', /^fp8/)
  await facet(page, 'P99 TTFT').getByRole('textbox', { name: /to$/ }).fill('300')

  const expected = runs.filter((run) => [2, 4].includes(run.size) && run.quantization === 'fp8' && run.p99 <= 300)
  await expect(counted(page)).toHaveText(`${expected.length} of ${RUNS} experiments`)
  await expect(chips(page)).toHaveCount(3)

  await page
    .getByRole('columnheader', { name: /P99 TTFT/ })
    .getByRole('button')
    .click()
  // best first
  await expect(page.getByRole('columnheader', { name: /P99 TTFT/ })).toHaveAttribute('aria-sort', 'ascending')
  await expect.poll(() => names(page)).toEqual(expected.map((run) => run.name))

  const context = await browser.newContext()
  const other = await context.newPage()
  await other.goto(page.url())
  await expect.poll(() => names(other)).toEqual(expected.map((run) => run.name))
  await expect(chips(other)).toHaveCount(3)
  await context.close()

  await page.goBack() // the sort
  await expect.poll(() => names(page)).toEqual(expected.map((run) => run.name).toReversed())
  await page.goBack() // the range
  await expect(chips(page)).toHaveCount(2)
  await page.goForward()
  await expect(chips(page)).toHaveCount(3)
  await page.getByRole('button', { name: 'Remove filter Quantization' }).click()
  await expect(chips(page)).toHaveCount(2)
  await page.getByRole('button', { name: 'Clear all' }).click()
  await expect(counted(page)).toHaveText(`${RUNS} of ${RUNS} experiments`)
  expect(new URL(page.url()).search).toBe('')
})

test('counts of a field ignore its own choice and include unset', async ({ page }) => {
  await page.goto(
    `${dashboard().url}/?server.quantization=null&server.tensor_parallel_size=1&columns=server.quantization`,
  )
  const expected = runs.filter((run) => run.quantization === null && run.size === 1)
  await expect(counted(page)).toHaveText(`${expected.length} of ${RUNS} experiments`)
  const unset = facet(page, 'Quantization').getByRole('checkbox', { name: /unset/ })
  await expect(unset).toBeChecked()
  await expect(facet(page, 'Quantization').getByText('unset').locator('..')).toContainText(String(expected.length))
  const fp8 = runs.filter((run) => run.quantization === 'fp8' && run.size === 1).length
  await expect(facet(page, 'Quantization').getByText('fp8', { exact: true }).locator('..').locator('..')).toContainText(
    String(fp8),
  )
  await expect(page.getByRole('grid', { name: 'Experiments' }).getByRole('gridcell', { name: 'unset' })).toHaveCount(
    expected.length,
  )
})

test('excluded values are marked, including unset', async ({ page }) => {
  await page.goto(`${dashboard().url}/?server.quantization=!fp8,null&columns=server.quantization`)
  const expected = runs.filter((run) => run.quantization === 'nvfp4')
  await expect(counted(page)).toHaveText(`${expected.length} of ${RUNS} experiments`)
  await expect(chips(page)).toContainText(['neither fp8 nor unset'])
  await expect(facet(page, 'Quantization').getByRole('checkbox', { name: /excluded/ })).toHaveCount(2)
  await facet(page, 'Quantization')
    .getByRole('button', { name: /^Include/ })
    .click()
  await expect(counted(page)).toHaveText(`${RUNS - expected.length} of ${RUNS} experiments`)
  await expect(facet(page, 'Quantization').getByRole('checkbox', { name: /excluded/ })).toHaveCount(0)
})

test('a decimal comma is refused with a reason, and an open end is the last edge', async ({ page }) => {
  await page.goto(`${dashboard().url}/?results.p99_ttft_ms=100..inf`)
  const latency = facet(page, 'P99 TTFT')
  const all = runs.filter((run) => run.p99 >= 100).length
  await expect(counted(page)).toHaveText(`${all} of ${RUNS} experiments`)
  const thumb = latency.getByRole('slider', { name: /to/ })
  await expect(thumb).toHaveValue((await thumb.getAttribute('max')) as string)
  const to = latency.getByRole('textbox', { name: /to$/ })
  await to.fill('150,5')
  await expect(latency.getByRole('alert')).toContainText('Commas separate thousands')
  await expect(to).toHaveAttribute('aria-invalid', 'true')
  await expect(counted(page)).toHaveText(`${all} of ${RUNS} experiments`)
  await to.fill('150.5')
  await expect(latency.getByRole('alert')).toHaveCount(0)
  await expect(counted(page)).toHaveText(
    `${runs.filter((run) => run.p99 >= 100 && run.p99 <= 150.5).length} of ${RUNS} experiments`,
  )
})

test('after a refused sort the heads show the order of the visible rows', async ({ page, complaints }) => {
  complaints.allow.push(/422/)
  await page.goto(`${dashboard().url}/?sort=results.p99_ttft_ms`)
  const head = (name: RegExp) => page.getByRole('columnheader', { name })
  await expect(head(/P99 TTFT/)).toHaveAttribute('aria-sort', 'ascending')
  await page.route('**/api/filters/apply', (route) =>
    route.fulfill({
      status: 422,
      json: {
        type: 'about:blank',
        title: 'Not so',
        status: 422,
        detail: 'cannot be sorted so',
        instance: '/api/filters/apply',
      },
    }),
  )
  await head(/^TP/).getByRole('button').click()
  await expect(page.getByRole('alert').first()).toContainText(/cannot be sorted so/i)
  await expect(head(/P99 TTFT/)).toHaveAttribute('aria-sort', 'ascending')
  await expect(head(/^TP/)).not.toHaveAttribute('aria-sort')
  await expect(page.getByText('P99 TTFT, best first')).toBeVisible()
})

// Counts bytes; times would depend on the machine.
const FIRST_SCREEN_API_BYTES_MAX = 200 * 1024

test('the first screen and its chart receive little JSON, all of it compressed', async ({ page }) => {
  const network = await page.context().newCDPSession(page)
  await network.send('Network.enable')
  const answers = new Map<string, { path: string; coding: string | undefined; length: number; bytes: number }>()
  network.on('Network.responseReceived', ({ requestId, response }) => {
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), value]),
    )
    const path = response.url.replace(/^http:..[^/]*/, '')
    if (path.startsWith('/api/'))
      answers.set(requestId, {
        path,
        coding: headers['content-encoding'],
        length: Number(headers['content-length']),
        bytes: 0,
      })
  })
  network.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
    const answer = answers.get(requestId)
    if (answer) answer.bytes = encodedDataLength
  })
  await page.goto(dashboard().url)
  await expect(counted(page)).toBeVisible()
  await expect(page.locator('section[aria-label=Chart][aria-busy=false] canvas').first()).toBeVisible()
  await expect
    .poll(() => [...answers.values()].some(({ path, bytes }) => path.startsWith('/api/data/points') && bytes > 0))
    .toBe(true)
  const all = [...answers.values()]
  expect(all.filter(({ coding, length }) => coding === undefined && length >= 1024)).toEqual([])
  expect(all.filter(({ path }) => path === '/api/fields')).toHaveLength(1) // what was preloaded is used
  expect(all.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(FIRST_SCREEN_API_BYTES_MAX)
})

test('Find keeps a blank and distinguishes loading, no response and no match', async ({ page, complaints }) => {
  complaints.allow.push(/ERR_FAILED/)
  await page.clock.install()
  await page.goto(dashboard().url)
  await expect(counted(page)).toBeVisible()
  await page.keyboard.press('/')
  const find = page.getByRole('dialog')
  const input = find.getByRole('searchbox')
  await expect(input).toBeFocused()
  await page.keyboard.type('verdict ')
  await page.clock.runFor(1000)
  await expect(find.getByRole('option').first()).toBeVisible()
  await page.keyboard.type('x')
  await expect(input).toHaveValue('verdict x')
  await input.fill('no such thing')
  await page.clock.runFor(1000)
  await expect(find.getByText('No experiment, field or value matches.')).toBeVisible()

  let isSilent = true
  const held: (() => Promise<void>)[] = []
  await page.route(/api\/filters/, async (route) => {
    if (isSilent) held.push(() => route.abort())
    else await route.abort()
  })
  await input.fill('no other thing')
  await page.clock.runFor(1000)
  await expect(find.getByText('Searching…')).toBeVisible()
  await expect(find.getByText('No experiment, field or value matches.')).toHaveCount(0)
  await expect.poll(() => held.length).toBe(2)
  isSilent = false
  for (const drop of held) await drop()
  // the request is repeated automatically, and the cause is shown until then
  await expect
    .poll(async () => {
      await page.clock.runFor(1000)
      return find.getByText(/Could not complete the search\. The server does not respond/).count()
    })
    .toBe(1)
  await expect(find.getByText('No experiment, field or value matches.')).toHaveCount(0)
})

test('Shift adds a key; the third press takes one away', async ({ page }) => {
  await page.goto(dashboard().url)
  const head = (name: RegExp) => page.getByRole('columnheader', { name }).getByRole('button')
  await head(/^TP/).click()
  await head(/^Output tok/).click({ modifiers: ['Shift'] })
  const expected = runs.toSorted((a, b) => a.size - b.size || b.output - a.output).map((run) => run.name)
  await expect.poll(async () => (await names(page)).slice(0, 14)).toEqual(expected.slice(0, 14))
  await expect(page.getByRole('columnheader', { name: /^TP/ })).toContainText('sort key 1')
  expect(new URL(page.url()).searchParams.get('sort')).toBe('server.tensor_parallel_size,-results.output_throughput')
})

test('columns are chosen, moved and reset', async ({ page }) => {
  await page.goto(dashboard().url)
  await page.getByRole('button', { name: /^Columns/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Columns' })
  await dialog.getByRole('searchbox').fill('gpu memory utilization')
  await dialog.getByText('GPU memory utilization', { exact: true }).click()
  await expect(page.getByRole('columnheader', { name: /GPU memory utilization/ })).toBeAttached()
  await dialog.getByRole('searchbox').fill('')
  await dialog.getByRole('button', { name: 'Move Model up' }).click()
  await expect(page.getByRole('columnheader').nth(1)).toContainText('Model')
  await dialog.getByRole('button', { name: 'Hide Verdict' }).click()
  await expect(page.getByRole('columnheader', { name: /Verdict/ })).toHaveCount(0)
  await dialog.getByRole('button', { name: 'Reset' }).click()
  await expect(page.getByRole('columnheader').nth(1)).toContainText('Verdict')
  await dialog.getByText('Only columns that differ').click()
  await expect(page.getByRole('columnheader', { name: /^TP/ })).toBeAttached()
  await expect(page.getByRole('columnheader', { name: /^Model/ })).toHaveCount(0)
})

test('without a match, the page lists the filters with the results that each one hides, in a fixed order', async ({
  page,
}) => {
  // the answer about one of them comes last, and the chart after it
  let tell = () => {}
  let draw = () => {}
  const isTold = new Promise<void>((resolve) => {
    tell = resolve
  })
  const isDrawn = new Promise<void>((resolve) => {
    draw = resolve
  })
  await page.route('**/api/filters/apply', async (route) => {
    const { limit, filter } = route.request().postDataJSON()
    if (limit === 0 && JSON.stringify(filter ?? null).includes('p99_ttft_ms')) await isTold
    await route.continue()
  })
  await page.route('**/api/data/points', async (route) => {
    await isDrawn
    await route.continue()
  })
  const one = page.waitForResponse((answer) => answer.request().postDataJSON()?.limit === 0)
  await page.goto(`${dashboard().url}/?server.tensor_parallel_size=2&results.p99_ttft_ms=..5`)
  await expect(page.getByRole('heading', { name: 'No experiment matches both filters' })).toBeVisible()
  await one
  const remove = page.getByRole('table').getByRole('button', { name: 'Remove filter P99 TTFT' })
  await expect(page.getByText(/^Removing .* is not enough/)).toHaveCount(0)
  await expect(remove).toHaveCount(0)
  tell()
  await expect(page.getByRole('table').getByRole('row', { name: /P99 TTFT/ })).toContainText('12')
  const before = await remove.boundingBox()
  draw()
  // the error appears once, and the other values can be chosen
  await expect(page.getByRole('region', { name: 'Chart' })).toHaveCount(0)
  await expect(
    filters(page).getByRole('group', { name: 'Tensor parallel size', exact: true }).getByRole('checkbox'),
  ).toHaveCount(SIZES.length)
  expect(await remove.boundingBox()).toEqual(before)
  await remove.click()
  await expect(counted(page)).toHaveText(`12 of ${RUNS} experiments`)
})

test('a link with a field that does not exist reports it, offers the nearest one, and works without it', async ({
  page,
  complaints,
}) => {
  complaints.allow.push(/422/)
  await page.goto(`${dashboard().url}/?server.tensor_paralel_size=2`)
  const alert = page.getByRole('alert').first()
  await expect(alert).toContainText(
    'This link filters by a field that does not exist: server.tensor_paralel_size. The nearest name is server.tensor_parallel_size.',
  )
  await expect(page.getByRole('alert')).toHaveCount(1)
  await alert.getByRole('button', { name: /Use server\.tensor_parallel_size/ }).click()
  await expect(counted(page)).toHaveText(`12 of ${RUNS} experiments`)
  await page.goto(`${dashboard().url}/?server.tensor_paralel_size=2&server.quantization=fp8&sort=results.p99_ttf`)
  await alert.getByRole('button', { name: 'Remove this filter' }).click()
  await expect(alert).toContainText('This link sorts by a field that does not exist: results.p99_ttf.')
  await expect(page.getByRole('rowheader')).not.toHaveCount(0) // in the default order
  await alert.getByRole('button', { name: 'Remove from the link' }).click()
  await expect(counted(page)).toHaveText(`${RUNS / 3} of ${RUNS} experiments`)
})

test('newer data appear only when the user asks', async ({ page, own }) => {
  await page.clock.install()
  await page.goto(`${dashboard().url}/?columns=quality.verdict`)
  await expect(counted(page)).toHaveText(`${RUNS} of ${RUNS} experiments`)
  const answer = await page.request.post(`${dashboard().url}/api/upload/json?name=late.json`, {
    data: variant(read(own), { name: 'late', p99_ttft_ms: null }),
  })
  expect(answer.status()).toBe(202)
  const { status_url } = await answer.json()
  await expect
    .poll(async () => (await (await page.request.get(dashboard().url + status_url)).json()).state)
    .toBe('done')
  await page.clock.runFor(11_000)
  await expect(page.getByRole('button', { name: 'Show 1 newer' })).toBeVisible()
  await expect(counted(page)).toHaveText(`${RUNS} of ${RUNS} experiments`)
  await page.getByRole('button', { name: 'Show 1 newer' }).click()
  await expect(counted(page)).toHaveText(`${RUNS + 1} of ${RUNS + 1} experiments`)
})

test('arrow keys move a range by bins, and its histogram shows what is inside', async ({ page }) => {
  await page.goto(dashboard().url)
  const latency = facet(page, 'P99 TTFT')
  await expect(latency.getByRole('img', { name: /^Histogram of P99 TTFT, .* Chosen: all\./ })).toBeVisible()
  await latency.getByRole('slider', { name: /to/ }).focus()
  await page.keyboard.press('ArrowLeft')
  await expect(chips(page)).toHaveCount(1)
  await expect(latency.getByRole('img', { name: /Chosen: up to / })).toBeVisible()
  const end = Number((await latency.getByRole('textbox', { name: /to$/ }).inputValue()).replaceAll(',', ''))
  const inside = runs.filter((run) => run.p99 <= end).length
  expect(inside).toBeLessThan(RUNS)
  await expect(counted(page)).toHaveText(new RegExp(`^${inside} of `))
  await latency.getByRole('textbox', { name: /from$/ }).fill('100')
  await expect(counted(page)).toHaveText(
    new RegExp(`^${runs.filter((run) => run.p99 >= 100 && run.p99 <= end).length} of `),
  )
  await page.getByRole('button', { name: 'Clear all' }).click()
  await expect(latency.getByRole('textbox', { name: /from$/ })).toHaveValue('')
})

test('a dragged range shows the results of each position; the release adds one history entry, Escape none', async ({
  page,
}) => {
  await page.goto(`${dashboard().url}/?x=results.p99_ttft_ms&y=results.output_throughput`)
  const latency = facet(page, 'P99 TTFT')
  const range = latency.getByRole('group', { name: 'Range of P99 TTFT' })
  await range.scrollIntoViewIfNeeded()
  await expect(page.getByTestId('plot')).toBeVisible()
  const box = await range.boundingBox()
  if (!box) throw new Error('the range has no box')
  const entries = () => page.evaluate(() => history.length)
  const [before, address] = [await entries(), page.url()]
  const to = (share: number) => page.mouse.move(box.x + box.width * share, box.y + box.height / 2, { steps: 6 })
  const four = facet(page, 'Tensor parallel size').locator('label').filter({ hasText: /^4/ })
  // the marks that are painted above the drawing, and how much of the canvas they cover
  const painted = () =>
    page.getByTestId('film').evaluate((canvas: HTMLCanvasElement & { answer?: { marks: { id: number[] } } }) => {
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', {
        willReadFrequently: true,
      }) as OffscreenCanvasRenderingContext2D
      copy.drawImage(canvas, 0, 0)
      const { data } = copy.getImageData(0, 0, canvas.width, canvas.height)
      let covered = 0
      for (let at = 3; at < data.length; at += 4) if ((data[at] ?? 0) > 0) covered++
      return canvas.answer && covered > 0 ? canvas.answer.marks.id.length : 0
    })
  const shows = async (inside: Run[]) => {
    await expect(counted(page)).toHaveText(new RegExp(`^${inside.length} of `))
    await expect(four).toHaveText(`4${inside.filter(({ size }) => size === 4).length}`)
    const newest = inside.map(({ name }) => name).toReversed()
    await expect.poll(async () => (await names(page)).slice(0, 4)).toEqual(newest.slice(0, 4))
  }
  const inside = async () => {
    const end = Number((await latency.getByRole('textbox', { name: /to$/ }).inputValue()).replaceAll(',', ''))
    return runs.filter(({ p99 }) => p99 <= end)
  }

  await to(1)
  await page.mouse.down()
  await to(0.7)
  const wide = await inside()
  expect(wide.length).toBeLessThan(RUNS)
  await shows(wide)
  await expect.poll(painted).toBe(wide.length)
  await to(0.3)
  const narrow = await inside()
  expect(narrow.length).toBeLessThan(wide.length)
  await shows(narrow)
  await expect.poll(painted).toBe(narrow.length)
  await expect(chips(page)).toHaveCount(0)
  expect([await entries(), page.url()]).toEqual([before, address])

  await page.mouse.up()
  await expect(chips(page)).toHaveCount(1)
  await shows(narrow)
  await expect(page.getByTestId('film')).toBeHidden()
  await expect(page.getByTestId('plot')).toHaveAccessibleName(new RegExp(`^Scatter of ${narrow.length} experiments`))
  expect(await entries()).toBe(before + 1)

  await to(0.3)
  await page.mouse.down()
  await to(0.9)
  await shows(await inside())
  await page.keyboard.press('Escape')
  await shows(narrow)
  await to(0.6) // has no effect
  await page.mouse.up()
  await shows(narrow)
  await expect(page.getByTestId('film')).toBeHidden()
  expect(await entries()).toBe(before + 1)
})

test('an SLO on a latency, typed, by keys or dragged, shows the best result within it and its command', async ({
  page,
  context,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.goto(`${dashboard().url}/?x=results.p99_ttft_ms&y=results.output_throughput`)
  await page.getByRole('button', { name: 'Set an SLO' }).click()
  const bar = page.getByRole('group', { name: 'SLO', exact: true })
  const line = page.getByRole('slider', { name: /^SLO of / })
  const bestWithin = (limit: number) =>
    runs.filter(({ p99 }) => p99 <= limit).toSorted((a, b) => b.output - a.output)[0] as Run
  const shows = async (limit: number) => {
    await expect(line).toHaveAttribute('aria-valuenow', String(limit))
    await expect(page).toHaveURL(new RegExp(`slo=results\\.p99_ttft_ms:${limit}$`))
    const best = bestWithin(limit)
    await expect(bar.getByRole('status')).toContainText(
      `${best.name}: ${best.output.toLocaleString('en-GB')} tok/s, P99 TTFT `,
    )
    await expect(bar.getByRole('status')).toContainText(
      `(${runs.filter(({ p99 }) => p99 <= limit).length} trusted results meet it)`,
    )
  }

  const input = bar.getByRole('textbox', { name: /at most$/ })
  await input.fill('0.2 s')
  await input.press('Enter')
  await shows(200)
  await expect(input).toBeFocused()
  await input.press('Enter')
  await shows(200)
  await expect(input).toBeFocused()
  await input.fill('abc')
  const alert = bar.getByRole('alert')
  await expect(alert).toHaveText('Enter a number.')
  const colorOf = (text: Locator) => text.evaluate((element) => getComputedStyle(element).color)
  const wrong = facet(page, 'P99 TTFT').getByRole('textbox', { name: /to$/ })
  const color = await colorOf(alert)
  await wrong.fill('abc')
  expect(await colorOf(facet(page, 'P99 TTFT').getByRole('alert'))).toBe(color)
  await wrong.fill('')
  await input.focus()
  await input.press('Escape')
  await line.focus()
  await page.keyboard.press('ArrowRight')
  await shows(202)
  await page.keyboard.press('Shift+ArrowLeft')
  await shows(182)

  const box = await line.boundingBox()
  if (!box) throw new Error('the line has no handle')
  const before = await page.evaluate(() => history.length)
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2)
  await page.mouse.down()
  await page.mouse.move(box.x + 150, box.y + 20, { steps: 5 })
  const moved = Number(await line.getAttribute('aria-valuenow'))
  expect(moved).toBeGreaterThan(200)
  await expect(bar.getByRole('status')).toContainText(bestWithin(moved).name)
  await expect(page).toHaveURL(/:182$/)
  await page.mouse.up()
  await shows(moved)
  expect(await page.evaluate(() => history.length)).toBe(before + 1)
  await expect(chips(page)).toHaveCount(0) // no region was drawn

  await bar.getByRole('button', { name: 'Copy command' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
    /profllm-sim serve sim\/test .*--sim-step 2ms/,
  )
  await page.reload()
  await shows(moved)
  await bar.getByRole('button', { name: 'Remove the SLO' }).click()
  await expect(line).toBeHidden()
  await expect(page).not.toHaveURL(/slo=/)
})

test('the console errors of a second page fail the test, too', async ({ browser, complaints }) => {
  const page = await browser.newPage()
  await page.goto(dashboard().url)
  await expect(counted(page)).toBeVisible()
  await page.evaluate(() => {
    console.error('said by hand')
    const script = document.createElement('script')
    script.textContent = 'document.title = "ran"'
    document.head.append(script)
    void fetch('/api/nowhere')
  })
  for (const said of [/said by hand/, /Content Security Policy/, /404/]) {
    await expect.poll(() => complaints.heard.some((text) => said.test(text))).toBe(true)
    complaints.allow.push(said)
  }
  await page.close()
})
