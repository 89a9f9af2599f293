// Writes a screenshot of every state in every look, and a page that shows all of them: 'tools/web look OUT'.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Page } from '@playwright/test'

import { test } from './fixtures'
import { PHONE, STATES, useWorld } from './states'

const OUT = process.env['PROFLLM_LOOK'] as string
const WIDE = { viewport: { width: 1440, height: 900 } }
const LOOKS = {
  light: { ...WIDE, colorScheme: 'light' },
  dark: { ...WIDE, colorScheme: 'dark' },
  phone: { ...PHONE, colorScheme: 'light' },
  forced: { ...WIDE, forcedColors: 'active' },
} as const
type Look = keyof typeof LOOKS

const world = useWorld()
const fileOf = (look: Look, state: (typeof STATES)[number]) =>
  `${look}-${`${state.page} ${state.name}`.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.png`

const TRIES = 6
const APART_MS = 400

// On an emulated phone a picture may be of a frame before a dialog opened, for some tenths of a second: takes pictures
// until two are the same. Animations stay, as Playwright ends those that fade the ends of what scrolls.
async function picture(page: Page, path: string) {
  let last = await page.screenshot({ path })
  for (let i = 1; i < TRIES; i++) {
    await page.waitForTimeout(APART_MS)
    const next = await page.screenshot({ path })
    if (next.equals(last)) return
    last = next
  }
}

for (const look of Object.keys(LOOKS) as Look[]) {
  for (const state of STATES) {
    if (look === 'phone' ? state.isWide : state.isPhone) continue
    test(`${look} ${state.page}, ${state.name}`, async ({ browser, complaints }) => {
      complaints.allow.push(/./)
      const context = await browser.newContext({ ...LOOKS[look], reducedMotion: 'reduce' })
      const page = await context.newPage()
      try {
        await state.open(page, world())
      } finally {
        mkdirSync(OUT, { recursive: true })
        await picture(page, join(OUT, fileOf(look, state)))
        await context.close()
      }
    })
  }
}

// Shows what the directory holds, also after a run of a part of the states.
test.afterAll(() => {
  const there = new Set(readdirSync(OUT))
  const rows = STATES.map((state) => {
    const cells = (Object.keys(LOOKS) as Look[]).map((look) =>
      there.has(fileOf(look, state))
        ? `<a href="${fileOf(look, state)}"><img loading="lazy" src="${fileOf(look, state)}" alt="${look}"></a>`
        : '<span></span>',
    )
    return `<section><h2>${state.page}, ${state.name}</h2><div>${cells.join('')}</div></section>`
  })
  const style =
    'body{font:14px system-ui;margin:16px;background:#888}h2{font-size:14px;margin:16px 0 4px}div{display:grid;grid-template-columns:4fr 4fr 1.2fr 4fr;gap:8px;align-items:start}img{width:100%;display:block}'
  writeFileSync(
    join(OUT, 'index.html'),
    `<!doctype html><meta charset="utf-8"><title>States of the web UI</title><style>${style}</style>${rows.join('\n')}`,
  )
})
