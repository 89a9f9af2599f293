// People with a color vision deficiency can distinguish the series: in both themes, under three simulations.
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

import { rampAt, stepOf } from './colours'
import { RAMP_STEPS, SERIES } from './kinds'
import { SHAPES } from './shapes'
import { contrast, inkOn, labOf, mixed, type Rgb, rgbOf, times } from './tint'

// Machado, Oliveira and Fernandes 2009, severity 1: of linear red, green and blue
const VISIONS = {
  usual: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
} as const

const DISTANCE_MIN = 8 // of OKLab, times 100
const DISTANCE_MIN_FIRST = 9.5 // of the first four, which most charts have
const CONTRAST_MIN = 3 // of what is drawn against the ground

const css = readFileSync(new URL('../tokens.css', import.meta.url), 'utf8')
const token = (name: string, theme: 0 | 1) => {
  const found = new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css)
  if (!found) throw new Error(`tokens.css has no color ${name}`)
  return found[theme + 1] as string
}
const series = (theme: 0 | 1) => Array.from({ length: SERIES }, (_, i) => token(`s${i + 1}`, theme))
const seen = (color: string, vision: keyof typeof VISIONS) =>
  labOf(times(VISIONS[vision], rgbOf(color)).map((light) => Math.min(1, Math.max(0, light))) as Rgb)
const far = (a: Rgb, b: Rgb) => 100 * Math.hypot(...a.map((value, i) => value - (b[i] ?? 0)))
const pairs = <T>(list: T[]) => list.flatMap((one, i) => list.slice(i + 1).map((other): [T, T] => [one, other]))
const THEMES = [
  ['light', 0],
  ['dark', 1],
] as const

for (const [name, theme] of THEMES) {
  for (const vision of Object.keys(VISIONS) as (keyof typeof VISIONS)[]) {
    it(`series are apart, ${name}, ${vision}`, () => {
      const labs = series(theme).map((color) => seen(color, vision))
      expect(Math.min(...pairs(labs).map(([a, b]) => far(a, b)))).toBeGreaterThan(DISTANCE_MIN)
      expect(Math.min(...pairs(labs.slice(0, 4)).map(([a, b]) => far(a, b)))).toBeGreaterThan(DISTANCE_MIN_FIRST)
    })

    it(`steps from little to much rise in lightness, ${name}, ${vision}`, () => {
      const colours = { sheet: token('sheet', theme), text: token('text', theme), series: series(theme) } as Parameters<
        typeof rampAt
      >[0]
      const steps = Array.from(
        { length: RAMP_STEPS },
        (_, i) => seen(rampAt(colours, i / (RAMP_STEPS - 1)), vision)[0] * 100,
      )
      const rises = steps.slice(1).map((light, i) => (light - (steps[i] ?? 0)) * (theme === 0 ? -1 : 1))
      expect(Math.min(...rises)).toBeGreaterThan(2.5)
    })
  }

  it(`lines of five ranges of a number can be distinguished, ${name}`, () => {
    const colours = { sheet: token('sheet', theme), text: token('text', theme), series: series(theme) } as Parameters<
      typeof rampAt
    >[0]
    const steps = [0, 2, 3, 5, 6].map((step) => labOf(rgbOf(stepOf(colours, step))))
    for (const [one, other] of pairs(steps)) expect(far(one, other)).toBeGreaterThan(6)
    const away = steps.map(([light]) => light * (theme === 0 ? -1 : 1))
    expect(away).toEqual(away.toSorted((a, b) => a - b))
    const hues = steps.map(([, a, b]) => Math.atan2(b, a))
    expect(new Set(hues.map((hue) => Math.round(hue * 2))).size).toBeGreaterThanOrEqual(4)
  })

  it(`marks and figures on cells stand out from their ground, ${name}`, () => {
    const [sheet, text] = [token('sheet', theme), token('text', theme)]
    for (const color of series(theme)) expect(contrast(color, sheet)).toBeGreaterThan(CONTRAST_MIN)
    const colours = { sheet, text, series: series(theme) } as Parameters<typeof rampAt>[0]
    for (let step = 0; step < RAMP_STEPS; step++)
      expect(contrast(stepOf(colours, step), sheet)).toBeGreaterThan(CONTRAST_MIN)
    for (let share = 0; share <= 1; share += 0.01) {
      const cell = rampAt(colours, share)
      expect(contrast(cell, inkOn(cell))).toBeGreaterThan(4.5)
    }
  })
}

it('every color has a shape', () => expect(new Set(SHAPES).size).toBe(SERIES))

it('a mix goes from one to the other', () => {
  expect([
    mixed('#ffffff', '#000000', 0),
    mixed('#ffffff', '#000000', 1),
    mixed('rgb(57, 75, 193)', '#394bc1', 0.5),
  ]).toEqual(['rgb(255, 255, 255)', 'rgb(0, 0, 0)', 'rgb(57, 75, 193)'])
  expect(contrast('#000000', '#ffffff')).toBeCloseTo(21)
})
