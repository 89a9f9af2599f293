// Uploads of folders with conflicts and artifacts, over broken connections, to servers that restart.
import type { Locator, Page } from '@playwright/test'
import { createHash } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'

import { type Dashboard, expect, soundness, test, useDashboard } from './fixtures'
import { type Document, little, read, variant, write } from './results'
import { Wire } from './wire'

const LOST = [/ERR_/, /status of 50\d/]
const empty = useDashboard()

interface Folder {
  path: string
  stored: number // already, before it is sent
}

// Three hundred files: most are new results, 20 are stored already, 10 are not results, and one is in conflict.
function mixed(folder: string, own: string, store: Dashboard): Folder {
  const path = mkdtempSync(join(folder, 'nightly-'))
  const base = read(own)
  const before = mkdtempSync(join(folder, 'before-'))
  for (let i = 0; i < 300; i++) {
    const document: Document = variant(base, { name: `result ${i}` })
    const name = `${i < 150 ? 'a' : 'b'}/${i}.json`
    if (i < 20) write(before, `${i}.json`, document)
    if (i === 20) write(before, `${i}.json`, { ...document, duration: document.duration + 1 })
    if (i > 20 && i <= 30) document.results.p99_ttft_ms = 'n/a'
    write(join(path, name.slice(0, 1)), `${i}.json`, document)
  }
  store.import(before)
  return { path, stored: 21 }
}

const files = (page: Page) => page.getByRole('region', { name: 'Files', exact: true })
const row = (page: Page, name: string | RegExp) =>
  files(page)
    .getByRole('row')
    .filter({ has: page.getByRole('rowheader', { name }) })
const upload = (page: Page) => page.getByRole('region', { name: 'This upload' })
const tally = (page: Page, state: string, count: number) =>
  expect(upload(page).getByText(new RegExp(`^${state}${count}$`))).toBeVisible()
const told = (page: Page) =>
  page
    .getByRole('main')
    .getByRole('status')
    .filter({ hasText: /^(Upload|\d+ %|The server|\d+ files)/ })

test('a folder, while the connection breaks and the server restarts: each file is stored once, and the summary says so', async ({
  page,
  folder,
  own,
  browser,
  complaints,
}) => {
  complaints.allow.push(...LOST)
  const store = empty()
  await store.stop()
  const { path, stored } = mixed(folder, own, store)
  await store.start()
  const wire = new Wire()
  await wire.start(store.url)
  let parts = 0
  wire.fate = (head) => {
    if (!head.startsWith('POST /api/upload/batch')) return 'pass'
    parts += 1
    if (parts === 4) void store.stop('SIGKILL').then(() => store.start())
    return parts === 2 || parts === 4 ? 'half' : parts === 3 ? 'unanswered' : 'pass'
  }
  await page.goto(`${wire.url}/upload`)
  await page.getByTestId('folder').setInputFiles(path)
  await expect(page).toHaveURL(/\/upload\/[\w-]+$/)
  await expect(told(page)).toHaveText(/^Upload finished: 269 stored, 20 duplicate, 1 conflict, 10 rejected$/, {
    timeout: 120_000,
  })
  expect(parts).toBeGreaterThan(4)
  wire.stop()

  const other = await (await browser.newContext()).newPage()
  await other.goto(page.url().replace(wire.url, store.url))
  await tally(other, 'stored', 269)
  await tally(other, 'duplicate', 20)
  await tally(other, 'conflict', 1)
  await tally(other, 'rejected', 10)
  await expect(upload(other)).toContainText('300 of 300 files processed')
  await expect(row(other, /\/a\/21\.json$/)).toContainText('rejected')
  const answer = await other.request.post(`${store.url}/api/filters/apply`, { data: { limit: 1 } })
  expect((await answer.json()).total).toBe(stored + 269)
  await other.context().close()
})

// Every text of the progress line and of the announced status, by the address of its upload.
async function recordTexts(page: Page) {
  await page.addInitScript(() => {
    const seen: string[] = []
    Object.assign(window, { seen })
    new MutationObserver(() => {
      const view = document.querySelector('[aria-label="This upload"]')
      const words = [
        ...(view?.querySelectorAll('p[class*="pace"] > span') ?? []),
        view?.parentElement?.querySelector(':scope > p[role="status"]'),
      ]
      const line = `${location.pathname} ${words.map((one) => one?.textContent).join(' | ')}`
      if (view && seen.at(-1) !== line) seen.push(line)
    }).observe(document, { subtree: true, childList: true, characterData: true })
  })
  return () => page.evaluate(() => (window as unknown as { seen: string[] }).seen)
}

test('the counts of two folders never decrease, and neither upload finishes before its files are stored', async ({
  page,
  folder,
}) => {
  const folders = [300, 200].map((size, i) => {
    const path = mkdtempSync(join(folder, `monotone-${i}-`))
    for (let k = 0; k < size; k++) write(path, `${k}.json`, little(20_000 + 1000 * i + k))
    return { path, size }
  })
  const texts = await recordTexts(page)
  // a report is older than the page's own knowledge by the time that it arrives
  await page.route('**/api/upload/status/*', async (route) => {
    const answer = await route.fetch()
    await new Promise((done) => {
      setTimeout(done, 200)
    })
    return route.fulfill({ response: answer })
  })
  await page.goto(`${empty().url}/upload`)
  const addresses: string[] = []
  for (const { path } of folders) {
    await page.getByTestId('folder').setInputFiles(path)
    await expect(page).toHaveURL((url) => url.pathname !== '/upload' && !addresses.includes(url.pathname))
    addresses.push(new URL(page.url()).pathname)
  }
  await expect(upload(page)).toContainText('200 of 200 files processed')
  await page.getByRole('link', { name: /^All uploads/ }).click()
  await page.getByRole('link', { name: /monotone-0/ }).click()
  await expect(upload(page)).toContainText('300 of 300 files processed')
  const seen = await texts()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  for (const [i, { size }] of folders.entries()) {
    const own = seen.filter((line) => line.startsWith(`${addresses[i]} `))
    const counts = own.flatMap((line) =>
      [...line.matchAll(/([\d,]+) of ([\d,]+) files processed/g)].map(([, done, all]) => ({
        done: Number(done?.replace(',', '')),
        all: Number(all?.replace(',', '')),
        line,
      })),
    )
    expect(counts.length).toBeGreaterThan(1)
    expect(counts.filter(({ all }) => all !== size)).toEqual([])
    expect(counts.filter(({ done }, k) => done < (counts[k - 1]?.done ?? 0))).toEqual([])
    expect(
      own.filter(
        (line) =>
          /nothing|no results|have not|Upload finished/.test(line) &&
          !line.includes(`${size} of ${size} files processed`),
      ),
    ).toEqual([])
  }
})

test('a reloaded page asks for the folder, and sends only missing files', async ({ page, folder, own, complaints }) => {
  complaints.allow.push(...LOST)
  const path = mkdtempSync(join(folder, 'again-'))
  const base = read(own)
  for (let i = 0; i < 200; i++) write(path, `${i}.json`, variant(base, { name: `again ${i}` }))
  write(path, '7.requests.jsonl.zst', 'records')
  let isHeld = false
  await page.route('**/api/upload/batch?*', async (route) => {
    if (isHeld) return // on its way for ever
    isHeld = true
    return route.continue()
  })
  await page.goto(`${empty().url}/upload`)
  await page.getByTestId('folder').setInputFiles(path)
  await expect
    .poll(
      async () =>
        (
          await upload(page)
            .innerText()
            .catch(() => '')
        ).match(/stored\s*(\d+)/)?.[1] ?? '0',
    )
    .not.toBe('0')
  await page.reload()
  await page.unrouteAll({ behavior: 'ignoreErrors' })

  const note = upload(page).getByText(/of 200 files have not arrived/)
  await expect(note).toBeVisible()
  const missing = Number(/(\d+) of 200/.exec(await note.innerText())?.[1])
  expect(missing).toBeGreaterThan(0)
  expect(missing).toBeLessThan(200)
  await page.getByTestId('folder').setInputFiles(path)
  // with other browsers on the same cores, reading the folder alone takes 20 s
  await expect(upload(page)).toContainText('200 of 200 files processed', { timeout: 120_000 })
  await tally(page, 'stored', 200)
  await expect(upload(page)).toContainText(`${200 - missing} already uploaded`)
  await expect(upload(page)).toContainText('1 of 1 artifacts')
  // no file arrived twice
  const { received } = await (
    await page.request.get(`${page.url().replace('/upload/', '/api/upload/status/')}?limit=0`)
  ).json()
  expect(received.files).toBe(200)
})

test('conflicts: the differences, and a choice for one file, for all files, or before the upload', async ({
  page,
  folder,
  own,
  complaints,
}) => {
  const base = read(own)
  const documents = Array.from({ length: 4 }, (_, i) => variant(base, { name: `known ${i}` }))
  const first = documents.map((document, i) => write(folder, `known-${i}.json`, document))
  const changed = documents.map((document, i) =>
    write(folder, `changed-${i}.json`, { ...document, duration: document.duration + 1 + i }),
  )
  const url = empty().url
  await page.addInitScript(() =>
    localStorage.setItem('profllm', JSON.stringify({ state: { author: 'ann' }, version: 0 })),
  )
  const send = async (paths: string[]) => {
    await page.goto(`${url}/upload`)
    await page.getByTestId('files').setInputFiles(paths)
    await expect(upload(page)).toContainText(new RegExp(`${paths.length} of ${paths.length} files? processed`))
  }
  const durationOf = async (i: number) =>
    (await (await page.request.get(`${url}/api/data/experiments/${documents[i].run_id}`)).json()).document.duration
  await send(first)
  await send(changed)
  await tally(page, 'conflict', 4)
  const one = row(page, 'changed-0.json')
  await expect(one).toContainText('already stored with different content')
  const durations = files(page)
    .getByRole('row', { name: /^\/duration/ })
    .first()
    .locator('bdi')
  for (const [at, duration] of [
    [1, documents[0].duration],
    [2, documents[0].duration + 1],
  ] as const) {
    await expect(durations.nth(at)).toHaveText(String(Number(duration.toPrecision(4))))
    await expect(durations.nth(at)).toHaveAttribute('title', String(duration))
  }

  const choose = (name: string, choice: string) =>
    files(page)
      .getByRole('radiogroup', { name: `Action for ${name}` })
      .getByText(choice)
      .click()
  // another user replaces it after this user saw the differences: they are shown again
  complaints.allow.push(/status of 409/)
  await page.request.post(`${url}/api/upload/json?on_conflict=replace`, { data: { ...documents[0], duration: 5.25 } })
  await expect.poll(() => durationOf(0)).toBe(5.25)
  await choose('changed-0.json', 'Replace stored result')
  await files(page).getByRole('button', { name: 'Apply to changed-0.json' }).click()
  await expect(files(page).getByRole('alert')).toContainText('the stored result changed')
  await expect(
    files(page)
      .getByRole('row', { name: /^\/duration/ })
      .first(),
  ).toContainText('5.25')
  // the page of its old state contains it longer than it has that state
  await page.route('**/api/upload/status/*state=conflict*', async (route) => {
    await new Promise((done) => {
      setTimeout(done, 700)
    })
    return route.continue()
  })
  await files(page).getByRole('button', { name: 'Apply to changed-0.json' }).click()
  await expect(one).toContainText('replaced the stored result')
  await tally(page, 'conflict', 3)
  await expect(files(page).getByRole('row', { name: /^conflict/ })).toHaveCount(3)
  await page.unrouteAll({ behavior: 'wait' })
  expect(await durationOf(0)).toBe(documents[0].duration + 1)
  const { changes } = await (
    await page.request.get(`${url}/api/data/experiments/${documents[0].run_id}/changes`)
  ).json()
  expect(changes.map(({ author }: { author: string | null }) => author)).toEqual(['ann', null])

  await choose('changed-1.json', 'Keep both')
  await files(page).getByText('Apply to the other 2 conflicts').first().click()
  await files(page).getByRole('button', { name: 'Apply to changed-1.json' }).click()
  await tally(page, 'stored', 4)
  await expect(row(page, 'changed-3.json')).toContainText('a repeat')

  // a duplicate needs no decision, and a conflict policy chosen beforehand needs none afterwards
  await send(changed.slice(0, 1))
  await tally(page, 'duplicate', 1)
  await files(page).getByRole('button', { name: 'Show details of changed-0.json' }).click()
  await expect(files(page)).toContainText(/All [\d,]+ values are equal\./)
  await page.goto(`${url}/upload`)
  await page.getByRole('radiogroup', { name: 'On conflict' }).getByText('Replace').click()
  await page.getByTestId('files').setInputFiles(write(folder, 'newest.json', { ...documents[0], duration: 77 }))
  await expect(row(page, 'newest.json')).toContainText('stored')
  expect(await durationOf(0)).toBe(77)
})

test('any browser shows which artifacts are missing, and can upload them', async ({ page, folder, own, browser }) => {
  const path = mkdtempSync(join(folder, 'absent-'))
  const records = 'records of requests'
  const artifact = {
    kind: 'requests',
    name: 'r.requests.jsonl.zst',
    path: 'r.requests.jsonl.zst',
    size: records.length,
    sha256: createHash('sha256').update(records).digest('hex'),
  }
  const result = write(path, 'r.json', {
    ...variant(read(own), { name: 'lacks a file' }),
    artifacts: [artifact],
  } as Document)
  await page.goto(`${empty().url}/upload`)
  await page.getByTestId('files').setInputFiles(result)
  await expect(upload(page)).toContainText('1 artifact is missing')
  write(path, artifact.name, records)
  const other = await (await browser.newContext()).newPage()
  await other.goto(page.url())
  await expect(upload(other)).toContainText('from 1 result')
  await other.getByTestId('folder').setInputFiles(path)
  await expect(upload(other)).toContainText('1 of 1 artifacts')
  await expect(upload(other)).toContainText('1 of 1 file processed')
  await tally(other, 'duplicate', 1)
  await expect(upload(other).getByText('artifact is missing')).toHaveCount(0)
  await other.context().close()
  await page.reload()
  await expect(upload(page)).toContainText('1 of 1 file processed')
  await expect(upload(page).getByText('artifact is missing')).toHaveCount(0)
})

test('artifacts of results follow them, other files are skipped', async ({ page, folder, own }) => {
  const path = mkdtempSync(join(folder, 'artifacts-'))
  const document = variant(read(own), { name: 'with files' })
  write(path, 'r.json', document)
  write(path, 'r.requests.jsonl.zst', 'records of requests')
  write(path, 'r.server.log', 'a log')
  write(path, 'lost.client.log', 'a log')
  write(path, 'notes.txt', 'Remember the milk.')
  await page.goto(`${empty().url}/upload`)
  await page.getByTestId('folder').setInputFiles(path)
  await expect(upload(page)).toContainText('2 of 3 artifacts')
  await expect(row(page, /lost\.client\.log$/)).toContainText('its result is missing from the upload')
  await expect(row(page, /notes\.txt$/)).toContainText('skipped')
  await row(page, /r\.json$/)
    .getByRole('link', { name: 'Open' })
    .click()
  const list = page.getByRole('region', { name: 'Artifacts', exact: true })
  await expect(list.getByRole('row', { name: /^r\.requests\.jsonl\.zst/ })).toContainText('one record per request')
  await expect(list.getByRole('row', { name: /^r\.server\.log/ })).toContainText('5 B')

  // choosing the same folder again sends no file twice
  let puts = 0
  page.on('request', (request) => {
    if (request.method() === 'PUT') puts += 1
  })
  await page.goto(`${empty().url}/upload`)
  await page.getByTestId('folder').setInputFiles(path)
  await tally(page, 'duplicate', 1)
  await expect(upload(page)).toContainText('2 of 3 artifacts')
  expect(puts).toBe(0)
})

test('a file that is being sent can be canceled, and is sent when the user retries', async ({
  page,
  folder,
  own,
  complaints,
}) => {
  complaints.allow.push(...LOST)
  const paths = ['one', 'two'].map((name) => write(folder, `${name}.json`, variant(read(own), { name })))
  await page.route('**/api/upload/batch?*', () => {}) // as if it took long
  await page.goto(`${empty().url}/upload`)
  await page.getByTestId('files').setInputFiles(paths)
  await expect(row(page, 'one.json')).toContainText('sending')
  await upload(page).getByRole('button', { name: 'Cancel remaining' }).click()
  await expect(row(page, 'one.json')).toContainText('cancelled')
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await files(page).getByRole('button', { name: 'Skip two.json' }).click()
  await expect(row(page, 'two.json')).toHaveCount(0)
  await files(page).getByRole('button', { name: 'Retry one.json' }).click()
  await expect(row(page, 'one.json')).toContainText('stored')
  await page.getByRole('link', { name: /^All uploads/ }).click()
  const list = page.getByRole('region', { name: 'All uploads' }).getByRole('row', { name: /one\.json and 1 more/ })
  await expect(list.nth(0)).toContainText('stored')
  await expect(list.nth(1)).toContainText('cancelled')
})

test('an unreachable server is reported, and the upload waits for it', async ({ page, folder, own, complaints }) => {
  complaints.allow.push(...LOST)
  const path = write(folder, 'patient.json', variant(read(own), { name: 'patient' }))
  const store = empty()
  await page.goto(`${store.url}/upload`, { waitUntil: 'networkidle' }) // the page has loaded everything in advance
  await store.stop()
  await page.getByTestId('files').setInputFiles(path)
  await expect(upload(page)).toContainText('The server is unreachable.')
  await expect(upload(page)).toContainText('The upload resumes automatically')
  await store.start()
  await upload(page)
    .getByRole('button', { name: 'Retry now' })
    .click({ timeout: 2000 })
    .catch(() => {}) // unless it resumed before
  await expect(row(page, 'patient.json')).toContainText('stored')
  await expect(upload(page)).not.toContainText('unreachable')
})

test('pasted text is a file', async ({ page, own }) => {
  const text = JSON.stringify(variant(read(own), { name: 'pasted' }))
  await page.goto(`${empty().url}/upload`)
  await expect(page.getByRole('button', { name: 'Choose files' })).toBeVisible()
  await page.evaluate((json) => {
    const data = new DataTransfer()
    data.setData('text/plain', json)
    window.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true }))
  }, text)
  await expect(row(page, 'pasted.json')).toContainText('stored')
})

test('of thousands of items only the visible ones are rendered, and they are filtered by state', async ({
  page,
  folder,
  request,
}) => {
  const base = 5000
  const path = write(
    folder,
    'many.json',
    JSON.stringify([
      ...Array.from({ length: 3000 }, (_, i) => little(base + i)),
      ...Array.from({ length: 30 }, () => ({ what: 'is this' })),
    ]),
  )
  await page.goto(`${empty().url}/upload`)
  await page.getByTestId('files').setInputFiles(path)
  await expect(upload(page)).toContainText('3,030 of 3,030 files processed', { timeout: 120_000 })
  await tally(page, 'rejected', 30)
  expect(await page.getByRole('rowheader').count()).toBeLessThan(150)
  await expect(page.getByRole('table', { name: 'Files of this upload' })).toHaveAttribute('aria-rowcount', '3031')
  await files(page).getByText('Rejected 30').click()
  await expect(page.getByRole('table', { name: 'Files of this upload' })).toHaveAttribute('aria-rowcount', '31')
  await files(page).getByText('All 3,030').click()
  await page.evaluate(() => window.scrollTo(0, document.documentElement.scrollHeight))
  await expect(files(page).getByRole('row', { name: /run_7999/ })).toBeVisible()
  expect((await request.get(page.url().replace('/upload/', '/api/upload/status/'))).status()).toBe(200)
})

async function looksSound(page: Page, shown: Locator) {
  await expect(shown).toBeVisible()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    expect(await soundness(page, colorScheme === 'dark' ? ['color-contrast'] : undefined)).toEqual([])
  }
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBe(0)
}

// @long: the phone has the same states
for (const [name, viewport, tag] of [
  ['a desk', { width: 1440, height: 900 }, []],
  ['a phone', { width: 390, height: 844 }, '@long'],
] as const) {
  test(`each state is accessible, on ${name}`, { tag: [tag].flat() }, async ({ browser, folder, own, complaints }) => {
    complaints.allow.push(...LOST)
    const page = await (await browser.newContext({ viewport })).newPage()
    const sound = variant(read(own), { name: 'sound' })
    const broken = variant(read(own), { name: 'broken' })
    broken.results.p99_ttft_ms = 'n/a'
    broken.quality.verdict = 'ok'
    const path = mkdtempSync(join(folder, 'states-'))
    write(path, 'broken.json', broken)
    write(path, 'sound.json', sound)
    write(path, 'r.server.log', 'log')
    write(path, 'notes.txt', 'x')
    await page.goto(`${empty().url}/upload`)
    await looksSound(page, page.getByRole('button', { name: 'Choose files' }))
    await page.getByTestId('folder').setInputFiles(path)
    await looksSound(page, row(page, /broken\.json/).filter({ hasText: 'rejected' }))
    // the whole outcome is on the first screen
    await page.evaluate(() => window.scrollTo(0, 0))
    await expect(row(page, /broken\.json/)).toBeInViewport({ ratio: 1 })
    await expect(page.getByRole('row', { name: /^\/results\/p99_ttft_ms/ })).toBeInViewport()
    await page.goto(`${empty().url}/upload`)
    await page.getByTestId('files').setInputFiles(write(folder, 'other.json', { ...sound, duration: 3 }))
    await looksSound(page, files(page).getByRole('button', { name: 'Apply to other.json' }))
    await page.route('**/api/upload/jobs', (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    )
    await page.goto(`${empty().url}/upload`)
    await page.getByTestId('files').setInputFiles(write(folder, 'away.json', sound))
    await looksSound(page, upload(page).getByText(/Next attempt:/))
    await page.context().close()
  })
}
