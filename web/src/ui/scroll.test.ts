import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SOURCES = join(__dirname, '..')

// Text for screen readers and React Aria's inputs are absolutely positioned. In a scroll area that does not contain
// them they keep the place that they have in its content, which may be thousands of pixels below the window, and the
// page scrolls there.
test('every scroll area contains what is positioned inside it', () => {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.css'))
  const areas = files.flatMap((file) =>
    [
      ...readFileSync(join(SOURCES, file), 'utf8').matchAll(
        /([^{}]+)\{([^{}]*overflow(?:-[xy])?:\s*(?:auto|scroll)[^{}]*)\}/g,
      ),
    ].map(([, selector = '', body = '']) => ({ area: `${file} ${selector.trim().split('\n').at(-1)}`, body })),
  )
  expect(areas.length).toBeGreaterThan(20)
  expect(
    areas.filter(({ body }) => !/position:\s*(relative|sticky|absolute|fixed)/.test(body)).map(({ area }) => area),
  ).toEqual([])
})
