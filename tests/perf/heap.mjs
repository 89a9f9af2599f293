// Measures what the page keeps in memory: it sets 300 different filters one after the other, by boxes of the panel. Few responses
// come from the cache. The heap is read after a garbage collection, each time with the same filter and the same ones before it.
import { fieldLabels } from './labels.mjs'

export const FILTERS = 300
const EARLY = 60
const GROUPS = ['server.tensor_parallel_size', 'system.hardware_info.gpu_name', 'server.dtype', 'benchmark.max_concurrency']
const BOXES = 12 // of all groups: two to the 12th are more than enough combinations
const SAME = 24 // filters before each reading, always the same: they fill what the page keeps for Back
const SETTLE_MS = 12_000 // longer than the page keeps the frames of a film

// In the page: presses a box and resolves when nothing is awaited. A group that does not vary under the current filter has no boxes.
function press({ groups, most, at }) {
  const boxes = groups.flatMap((name) => [...document.querySelectorAll(`aside [role=group][aria-label="${name}"] input[type=checkbox]`)].slice(0, 4)).slice(0, most)
  boxes[at % boxes.length].click()
  return new Promise((resolve) => {
    const look = () => (document.querySelector('main section[aria-busy=true]') ? requestAnimationFrame(look) : setTimeout(resolve, 30))
    requestAnimationFrame(() => requestAnimationFrame(look))
  })
}

// The box whose press leads from one Gray code to the next: no set of boxes comes twice.
const boxOf = (step) => Math.min(31 - Math.clz32(step & -step), BOXES - 1)

// {early, late} in bytes, and of DOM nodes: after the 60th filter and after the last.
export async function heap(page, address) {
  const groups = await fieldLabels(address, GROUPS)
  await page.goto(address)
  await page.locator('section[aria-label=Chart][aria-busy=false] canvas').first().waitFor()
  // the filters come after the chart; a group that is missing without a filter fails the measurement
  for (const name of groups)
    await page.locator(`aside [role=group][aria-label="${name}"] input[type=checkbox]`).first().waitFor({ state: 'attached' })
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.enable')
  const choose = (step) => page.evaluate(press, { groups, most: BOXES, at: boxOf(step) })
  const read = async () => {
    await page.getByRole('button', { name: 'Clear all' }).click()
    for (let step = 1; step <= SAME; step++) await choose(step)
    await page.waitForTimeout(SETTLE_MS)
    for (let i = 0; i < 3; i++) await session.send('HeapProfiler.collectGarbage')
    const [{ usedSize }, { nodes }] = [await session.send('Runtime.getHeapUsage'), await session.send('Memory.getDOMCounters')]
    return { usedSize, nodes }
  }
  let early
  for (let step = 1; step <= FILTERS; step++) {
    await choose(step)
    if (step === EARLY) early = await read()
  }
  const late = await read()
  return { early: early.usedSize, late: late.usedSize, nodes: { early: early.nodes, late: late.nodes } }
}
