// States of every page: nothing scrolls into blank space, on the screen or on paper, and axe finds nothing. A usual run
// takes every eighth state of each page and those that are printed, PROFLLM_TEST_LONG=1 all of them.
import type { Page } from '@playwright/test'

import { count, expect, IS_LONG, soundness, test } from './fixtures'
import { decode, inkOf } from './picture'
import { PHONE, STATES, type State, useWorld } from './states'

const world = useWorld()
const BAR_PX = 48
const INK_MIN = 0.001 // share of pixels; an empty page below the bar has 0, one with two lines 0.0018
const DESK = { width: 1440, height: 900 }
const SHEET = { width: 794, height: 1123 } // A4
// PROFLLM_TEST_LONG=1: also the colors of the dark theme in all states, not in one per page
const CHOSEN = IS_LONG
  ? STATES
  : Object.values(Object.groupBy(STATES, ({ page }) => page)).flatMap((states = []) =>
      states.filter(({ prints }, at) => prints || at % 8 === 0),
    )
test.describe.configure({ mode: 'parallel' })
const PARTS = 4 // tests, each with a browser context for the desktop and one for the phone

// Scrolls in every way: with the wheel at several positions, keys and the skip link.
async function scroll(page: Page) {
  const { width, height } = page.viewportSize() as { width: number; height: number }
  await page.evaluate(() => {
    if (!document.querySelector('[role=dialog][data-modal]')) document.querySelector<HTMLElement>('.skip')?.click()
    if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
  })
  for (const [x, y] of [
    [0.1, 0.5],
    [0.5, 0.3],
    [0.6, 0.04],
    [0.6, 0.95],
  ] as const) {
    await page.mouse.move(x * width, y * height)
    await page.mouse.wheel(0, 5000)
  }
  for (const key of ['Space', 'End']) await page.keyboard.press(key)
}

async function check(page: Page, state: State) {
  const wrong: string[] = []
  for (const fault of await soundness(page)) wrong.push(`axe: ${fault}`)
  if (state.prints || IS_LONG) {
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const fault of await soundness(page, ['color-contrast'])) wrong.push(`axe, dark: ${fault}`)
    await page.emulateMedia({ colorScheme: 'light' })
  }
  await scroll(page)
  const { hasOwnScroll, over, below } = await page.evaluate(() => {
    const { scrollHeight, clientHeight } = document.documentElement
    const ends = [...document.querySelectorAll('#root > *, [role=dialog]')].map(
      (element) => element.getBoundingClientRect().bottom + window.scrollY,
    )
    return {
      hasOwnScroll: location.pathname === '/',
      over: scrollHeight - clientHeight,
      below: scrollHeight - Math.max(clientHeight, ...ends),
    }
  })
  if (hasOwnScroll && !state.isPhone && over > 0) wrong.push(`the document is ${over} px higher than the window`)
  if (below > 1) wrong.push(`the document is ${below} px higher than its content`)
  // a busy machine draws late after a scroll: only an area that stays blank counts
  let ink = 0
  for (let tries = 0; ink < INK_MIN && tries < 5; tries++) {
    if (tries > 0) await frames(page)
    const picture = decode(await page.screenshot({ animations: 'disabled' }))
    ink = inkOf(picture, BAR_PX, picture.height)
  }
  if (ink < INK_MIN) wrong.push(`the screen is blank after scrolling: ${(ink * 100).toFixed(2)} % of it is drawn`)
  if (state.prints) wrong.push(...(await blankSheets(page)))
  return wrong
}

const frames = (page: Page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        requestAnimationFrame(() => requestAnimationFrame(resolve))
      }),
  )

async function blankSheets(page: Page) {
  const before = page.viewportSize()
  await page.setViewportSize(SHEET)
  await page.emulateMedia({ media: 'print' })
  // the page hears of it with the next frame; a real print waits for what it does then
  await frames(page)
  const picture = decode(await page.screenshot({ fullPage: true, animations: 'disabled' }))
  await page.emulateMedia({ media: 'screen' })
  if (before) await page.setViewportSize(before)
  const sheets = Array.from({ length: Math.ceil(picture.height / SHEET.height) }, (_, i) =>
    inkOf(picture, i * SHEET.height, Math.min(picture.height, (i + 1) * SHEET.height)),
  )
  return sheets.flatMap((ink, i) => (ink < INK_MIN ? [`sheet ${i + 1} of ${sheets.length} is blank in print`] : []))
}

test('states have unique names, and the tested ones cover every page', () => {
  const names = STATES.map(({ page, name }) => `${page}: ${name}`)
  expect(new Set(names).size).toBe(names.length)
  expect(CHOSEN.length).toBeGreaterThanOrEqual(34)
  expect(new Set(CHOSEN.map(({ page }) => page))).toEqual(new Set(STATES.map(({ page }) => page)))
})

for (let part = 0; part < PARTS; part++) {
  const states = CHOSEN.filter((_, at) => at % PARTS === part)
  test(`no state scrolls into blank space, and axe finds nothing, ${part + 1} of ${PARTS}`, async ({
    browser,
    complaints,
  }, info) => {
    const found: string[] = []
    count(info)
    for (const options of [{}, PHONE]) {
      const context = await browser.newContext({ viewport: DESK, ...options, reducedMotion: 'reduce' })
      // one page for all of them: a new renderer would compile the scripts of the web UI for each state
      const page = await context.newPage()
      for (const state of states.filter(({ isPhone = false }) => isPhone === (options === PHONE))) {
        if (state.complains) complaints.allow.push(state.complains)
        const { viewport } = options as Partial<typeof PHONE>
        await page.setViewportSize(viewport ?? DESK)
        await page.emulateMedia({ media: 'screen', colorScheme: 'light' })
        try {
          await state.open(page, world())
          found.push(...(await check(page, state)).map((wrong) => `${state.page}, ${state.name}: ${wrong}`))
        } catch (error) {
          found.push(`${state.page}, ${state.name}: ${(error as Error).message.split('\n').slice(0, 8).join(' ')}`)
        }
        await context.setOffline(false)
        await page.unrouteAll({ behavior: 'ignoreErrors' })
        await page
          .evaluate(() => {
            localStorage.clear()
            sessionStorage.clear()
          })
          .catch(() => {})
        await page.goto('about:blank')
        count(info, `${state.page}: ${state.name}`)
      }
      await context.close()
    }
    expect(found).toEqual([])
  })
}
