// Measures the drag of a range: one thumb per field moves over all its bins. For each position: the time from the pointer event to
// the painted frame that shows the count, the first row and the chart of that position, or of a later one.
const FIELDS = [['results.p99_ttft_ms', 'p99 TTFT'], ['results.median_ttft_ms', 'Median TTFT'], ['results.output_throughput', 'Output throughput'], ['results.median_tpot_ms', 'Median TPOT']]
const STEP_PX = 4
const LATEST_MS = 2000

// The server's answer for each position.
async function answersOf(page, field, edges) {
  return page.evaluate(async ({ field, edges }) => {
    const post = async (path, body) => (await fetch(path, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) })).json()
    const found = []
    for (const [at, edge] of edges.entries()) {
      const filter = at === edges.length - 1 ? {} : { filter: { and: [{ field, op: 'le', value: edge }] } }
      const answer = await post('/api/filters/apply', { ...filter, sort: [{ field: 'run.timestamp', dir: 'desc' }], columns: ['run.name'], limit: 1, facets: [] })
      found.push({ count: answer.count, row: answer.rows[0]?.id ?? null })
    }
    return found
  }, { field, edges })
}

// In the page: records each position of the thumb, and when its answer is painted.
function watch({ group, right, latest }) {
  const thumb = document.querySelectorAll(`aside [role=group][aria-label="${group}"] input[type=range]`)[1]
  const places = []
  const frames = []
  let moved = 0
  let isOver = false
  addEventListener('pointermove', ({ timeStamp }) => { moved = timeStamp }, { capture: true })
  const countNow = () => Number(document.querySelector('main [role=status] b').textContent.replaceAll(',', ''))
  const rowNow = () => Number(document.querySelector('tbody tr[data-row="0"]')?.dataset.id ?? 0)
  const host = () => document.querySelector('[data-testid=plot] > div')
  const chartNow = () => {
    const painted = document.querySelector('[data-testid=film]')?.answer
    if (painted) return painted.count
    // outside a film the drawing belongs to the answer of the table, once the page is not busy
    return document.querySelector('section[aria-label=Chart][aria-busy=true]') || !host()?.chart ? -1 : countNow()
  }
  const look = () => {
    const begin = performance.now()
    const at = Number(thumb.value)
    if (places.at(-1)?.at !== at) places.push({ at, from: moved, shown: null })
    const after = new MessageChannel()
    after.port1.onmessage = () => {
      const end = performance.now()
      frames.push(end - begin)
      const [count, row, chart] = [countNow(), rowNow(), chartNow()]
      const isRight = (place) => right[place.at].count === count && (right[place.at].row ?? 0) === row && chart === count
      const last = places.findLastIndex((place) => place.shown === null && isRight(place))
      for (let i = 0; i <= last; i++) places[i].shown ??= { end, isOwn: i === last }
      if (isOver && (places.every(({ shown }) => shown) || end - places.at(-1).from > latest)) return window.watched(places, frames)
      requestAnimationFrame(look)
    }
    after.port2.postMessage(0)
  }
  requestAnimationFrame(look)
  window.watchEnd = () => new Promise((resolve) => {
    window.watched = (...all) => resolve(all)
    isOver = true
  })
}

// [{ms, isOwn}] per position; isOwn: its own answer was painted, not only a later one.
export async function drags(page, address) {
  const found = []
  for (const [field, label] of FIELDS) {
    await page.goto(`${address}/?fields=all`)
    await page.getByRole('searchbox', { name: /Search fields/ }).fill(field)
    // the innermost: the list of fields is a group, too
    const box = page.locator('aside [role=group]').filter({ has: page.locator(`[title^="${field}\\a "]`) }).last()
    const thumb = box.locator('input[type=range]').nth(1)
    await thumb.waitFor({ state: 'attached' })
    await page.locator('[data-testid=plot]').waitFor()
    await page.waitForTimeout(1500)
    const group = await box.getAttribute('aria-label')
    const edges = await page.evaluate(async (id) => (await (await fetch(`/api/filters/options?fields=${id}`)).json()).options[id].histogram.edges, field)
    const right = await answersOf(page, field, edges)
    const track = await box.getByRole('group', { name: /^Range of/ }).boundingBox()
    const at = { x: track.x + track.width, y: track.y + track.height / 2 }
    await page.mouse.move(at.x, at.y)
    await page.evaluate(watch, { group, right, latest: LATEST_MS })
    await page.mouse.down()
    for (let x = at.x; x > track.x + STEP_PX; x -= STEP_PX) await page.mouse.move(x, at.y)
    const [places, frames] = await page.evaluate(() => window.watchEnd())
    await page.mouse.up()
    found.push({ label, places: places.slice(1).map(({ from, shown }) => ({ ms: shown ? shown.end - from : LATEST_MS, isOwn: shown?.isOwn ?? false })), frames })
    await page.waitForTimeout(500)
  }
  return found
}
