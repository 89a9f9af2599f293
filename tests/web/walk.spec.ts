// A run of the simulator from its start to its document: live in the list, then in the table and on its page, and from
// a spike of the timeline to the request, the line of the log and the document, by mouse and by keyboard.
import type { Page } from '@playwright/test'
import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { expect, IS_LONG, soundness, test, useDashboard } from './fixtures'
import { program, read, write } from './results'

const NS = 1e9
const WARP_S = 0.4 // of the timeline, around the spike
const dashboard = useDashboard((store, own) => store.import(own))

// The simulator logs its load every 10 s, so the run lasts longer.
const CONFIG = {
  name: 'walked',
  server: { model: 'sim/test', max_model_len: 2048 },
  launch: { command: [program('profllm-sim'), 'serve'], extra_args: ['--sim-step', '10ms'] },
  benchmark: {
    backend: 'openai',
    dataset_name: 'random',
    random_input_len: 32,
    random_output_len: 16,
    num_prompts: 240,
    request_rate: 20,
    burstiness: 0.3,
  },
  profiling: { enabled: true, profiler: 'torch', num_prompts: 2 },
}

const region = (page: Page, name: string) => page.getByRole('main').getByRole('region', { name, exact: true })
const grid = (page: Page) => page.getByRole('grid', { name: 'Experiments' })
const heading = (page: Page) => page.getByRole('heading', { level: 1, name: 'walked' })
const search = (page: Page) => new URL(page.url()).searchParams
const rowsOf = (page: Page) =>
  region(page, 'Requests').getByRole('region', { name: 'Requests table' }).locator('tbody tr')

// Runs with --upload. Returns what `finished` reads once the process has ended.
function start(folder: string) {
  const config = write(folder, 'walked.yaml', CONFIG)
  const output = join(folder, 'walked.json')
  const child = spawn(
    program('profllm'),
    ['run', '--config', config, '--output', output, '--upload', dashboard().url],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  )
  let said = ''
  child.stderr.on('data', (part: Buffer) => {
    said += part.toString()
  })
  const finished = new Promise<{ document: ReturnType<typeof read>; at: number }>((resolve, reject) => {
    child.on('exit', (code) => {
      if (code === 0) resolve({ document: read(output), at: Date.now() })
      else reject(new Error(`profllm run ended with ${code}: ${said}`))
    })
  })
  return { finished }
}

// The second with the most requests in flight, after the start of the measured run.
async function spikeOf(page: Page, document: ReturnType<typeof read>) {
  const { measured_begin_ns: from, measured_end_ns: to } = document.series
  const query = `series=load.in_flight&bins=400&from_ns=${from}&to_ns=${to}`
  const answer = await page.request.get(`${dashboard().url}/api/data/experiments/${document.run_id}/series?${query}`)
  expect(answer.ok(), await answer.text()).toBe(true)
  const { t_s, series, from_ns } = await answer.json()
  const most = series[0].max as (number | null)[]
  const top = Math.max(...most.map((value) => value ?? 0))
  return { second: (t_s[most.indexOf(top)] as number) + (from_ns - from) / NS, top }
}

// The focused line of the log is the first one with a time from the second on in which the request started, or one
// second earlier: the clock of the log is known to a second. The start comes from this host's clocks.
async function expectLine(page: Page, document: ReturnType<typeof read>, request: number) {
  const line = region(page, 'Server log').locator('[data-line] a:focus')
  await expect(line).toBeInViewport()
  const url = dashboard().url
  const ask = async (path: string) =>
    (await page.request.get(`${url}/api/data/experiments/${document.run_id}${path}`)).json()
  const { rows } = await ask('/log?limit=1000')
  const times = (rows as { line: number; text: string }[]).flatMap(({ line, text }) => {
    const found = / (\d\d)-(\d\d) (\d\d):(\d\d):(\d\d) \[/.exec(text)?.slice(1).map(Number)
    if (!found) return []
    const [month, day, hour, minute, second] = found as [number, number, number, number, number]
    return [{ line, at: new Date(new Date().getFullYear(), month - 1, day, hour, minute, second).getTime() / 1000 }]
  })
  const [{ start_s }] = (await ask(`/requests?index_from=${request}&index_to=${request}`)).rows
  const offset = Date.now() / 1000 - Number(process.hrtime.bigint()) / NS
  const begun = Math.floor(document.series.measured_begin_ns / NS + start_s + offset)
  const from = (second: number) => times.find(({ at }) => at >= second)?.line ?? rows.length
  expect([from(begun - 1), from(begun)]).toContain(
    Number(await line.evaluate((one) => one.closest('li')?.getAttribute('data-line'))),
  )
  expect(new URL(page.url()).hash).toMatch(/^#log-L\d+$/)
}

test('a run is live, then in the table, and each step of its page leads to the next', async ({
  page,
  context,
  folder,
}) => {
  const { url } = dashboard()
  await page.goto(url)
  await expect(grid(page).getByRole('rowheader', { name: /ours/ })).toBeVisible()
  const live = await context.newPage()
  await live.goto(`${url}/live`)
  const run = start(mkdtempSync(join(folder, 'walk-')))

  await test.step('the live list and its page show it', async () => {
    const row = region(live, 'Running').getByRole('row', { name: /walked/ })
    await expect(row).toContainText(/of 240 requests/)
    await row.getByRole('link', { name: 'walked' }).click()
    await expect(region(live, 'Verdict so far')).toBeVisible()
  })
  const { document, at } = await run.finished
  await test.step('a table that is loaded at the end has it, and an open one offers it', async () => {
    const other = await context.newPage()
    await other.goto(url)
    await expect(grid(other).getByRole('rowheader', { name: /walked/ })).toBeVisible()
    const loaded = Date.now() - at
    await other.close()
    await page.getByRole('button', { name: 'Show 1 newer' }).click()
    await expect(grid(page).getByRole('rowheader', { name: /walked/ })).toBeVisible()
    // measured, and no condition: other tests run at the same time
    test.info().annotations.push({
      type: 'time',
      description: `after the end of the run, the row is in a new table after ${loaded} ms, in the open one after ${Date.now() - at} ms`,
    })
    await expect(live).toHaveURL(/\/experiments\/\d+/)
    await expect(region(live, 'Verdict')).toBeVisible()
    await live.close()
  })

  await test.step('its page has every section', async () => {
    await grid(page)
      .getByRole('rowheader', { name: /walked/ })
      .getByRole('link')
      .click()
    await expect(heading(page)).toBeVisible()
    for (const name of [
      'Verdict',
      'Parameters',
      'Metrics',
      'Where the time went',
      'Timeline',
      'Requests',
      'Quality checks',
      'Server log',
      'Traces',
      'Commands',
      'All fields',
      'Artifacts',
      'Result file',
    ]) {
      await region(page, name).scrollIntoViewIfNeeded()
      await expect(region(page, name), name).toBeVisible()
    }
    await expect(
      region(page, 'Traces')
        .getByRole('link', { name: /\.pt\.trace\.json/ })
        .first(),
    ).toBeVisible()
    await expect(region(page, 'Artifacts')).toContainText('walked.requests.jsonl.zst')
    await expect(region(page, 'Server log').locator('[data-line]').first()).toBeAttached()
    await expect(rowsOf(page)).toHaveCount(50)
  })

  const spike = await spikeOf(page, document)
  expect(spike.top).toBeGreaterThan(4)

  await test.step('by mouse: spike, request, line of the log, document', async () => {
    const lane = region(page, 'Timeline').locator('[data-lane="Requests"] svg')
    const measured = region(page, 'Timeline').getByText('Measured run only')
    await measured.click()
    await expect.poll(() => search(page).get('t')).not.toBeNull()
    const [from, to] = (search(page).get('t') as string).split(',').map(Number) as [number, number]
    await lane.scrollIntoViewIfNeeded()
    const box = (await lane.boundingBox()) as { x: number; y: number; width: number }
    const xOf = (second: number) =>
      box.x + 44 + ((Math.min(Math.max(second, from), to) - from) / (to - from)) * (box.width - 50)
    await page.mouse.move(xOf(spike.second - WARP_S), box.y + 30)
    await page.mouse.down()
    await page.mouse.move(xOf(spike.second + WARP_S), box.y + 30, { steps: 4 })
    await page.mouse.up()
    await expect.poll(() => search(page).get('t')).not.toBe(`${from},${to}`)
    await expect(region(page, 'Requests')).toContainText(/in flight \d+\.\d{3} to/)
    await expect.poll(() => rowsOf(page).count()).toBeLessThan(50)
    await region(page, 'Requests').getByRole('button', { name: /^E2EL/ }).click()
    const first = rowsOf(page)
      .first()
      .getByRole('button', { name: /^Mark request/ })
    await first.click()
    await expect.poll(() => search(page).get('req')).not.toBeNull()
    const request = Number(search(page).get('req'))
    await expect(page.locator(`[data-mark="${request}"]`).first()).toBeVisible()
    const marked = region(page, 'Requests').getByRole('group', { name: 'Marked request' })
    await expect(marked).toContainText(`Request ${request} is marked: start`)
    if (IS_LONG) expect(await soundness(page)).toEqual([])
    await marked.getByRole('button', { name: 'Show the log at its start' }).click()
    await expectLine(page, document, request)
    await page.getByRole('navigation', { name: 'On this page' }).getByRole('link', { name: 'Result file' }).click()
    await expect(region(page, 'Result file')).toBeInViewport()
    const raw = page.waitForEvent('download')
    await region(page, 'Result file').getByRole('link', { name: 'Download' }).click()
    expect(read((await (await raw).path()) as string).run_id).toBe(document.run_id)
  })

  // in a usual run, the file of each section tests its keys, and keyboard.spec.ts those of the table
  if (!IS_LONG) return
  await test.step('by keyboard', async () => {
    const press = async (key: string, until: () => Promise<boolean>, most: number) => {
      for (let i = 0; i < most; i++) {
        if (await until()) return
        await page.keyboard.press(key)
      }
      expect(await until(), `${key} pressed ${most} times`).toBe(true)
    }
    const focus = page.locator(':focus')
    const isIn = (name: string) => async () => (await region(page, name).locator(':focus').count()) > 0
    const isOn = (selector: string) => async () => (await page.locator(`${selector}:focus`).count()) > 0
    const value = async () => (await focus.getAttribute('aria-valuetext')) ?? ''

    await page.goto('about:blank')
    await page.goto(url)
    await expect(grid(page).getByRole('rowheader', { name: /walked/ })).toBeVisible()
    await press('Tab', async () => (await grid(page).locator(':focus').count()) > 0, 60)
    await press('ArrowDown', async () => /walked/.test(await focus.innerText()), 5)
    await page.keyboard.press('Enter')
    await expect(heading(page)).toBeVisible()
    await expect(region(page, 'Timeline').getByRole('slider')).toBeVisible()

    await press('F6', isIn('Timeline'), 20)
    await press('Tab', isOn('#timeline [role=slider]'), 10)
    const secondOf = (text: string) => Number(text.replace('−', '-').split(' s:')[0])
    const isPast = async () => secondOf(await value()) >= spike.second
    await page.keyboard.press('Home')
    await press('PageUp', isPast, 200)
    await press('ArrowLeft', async () => secondOf(await value()) <= spike.second, 20)
    expect(Math.abs(secondOf(await value()) - spike.second)).toBeLessThan(0.2)
    // the cursor stays at its time while the shown time shrinks around it
    for (let i = 0; i < 4; i++) {
      const former = search(page).get('t')
      await page.keyboard.press('+')
      await expect.poll(() => search(page).get('t')).not.toBe(former)
    }
    expect(Math.abs(secondOf(await value()) - spike.second)).toBeLessThan(0.2)
    await expect.poll(() => rowsOf(page).count()).toBeLessThan(50)
    await press('F6', isIn('Requests'), 5)
    await press('Tab', isOn('#requests [aria-label="Requests in lanes"]'), 20)
    await page.keyboard.press('Home')
    expect(await value()).toMatch(/^request #\d+/)
    const request = Number(/#(\d+)/.exec(await value())?.[1])
    await page.keyboard.press('Enter')
    await expect.poll(() => search(page).get('req')).toBe(String(request))
    const marked = region(page, 'Requests').getByRole('group', { name: 'Marked request' })
    await expect(marked).toContainText(`Request ${request} is marked`)
    await press('Tab', async () => (await marked.locator(':focus').count()) > 0, 10)
    await expect(focus).toHaveText('Show the log at its start')
    await page.keyboard.press('Enter')
    await expectLine(page, document, request)
    await press('F6', isIn('Result file'), 10)
    await press('Tab', async () => (await focus.innerText()) === 'Download', 5)
    const raw = page.waitForEvent('download')
    await page.keyboard.press('Enter')
    expect(read((await (await raw).path()) as string).run_id).toBe(document.run_id)
  })
})
