// Colours as numbers: mixed, and how light and how far from each other they are.

export type Rgb = [number, number, number] // linear, 0 to 1

const bent = (share: number) => (share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4)
const straight = (light: number) => (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055)

// parses "#rrggbb", and "rgb(r, g, b)", which browsers return
export function rgbOf(color: string): Rgb {
  const parts = color.startsWith('#')
    ? [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
    : (color.match(/[\d.]+/g) ?? []).slice(0, 3).map(Number)
  const [r = 0, g = 0, b = 0] = parts.map((part) => bent(part / 255))
  return [r, g, b]
}

const textOf = (rgb: Rgb) =>
  `rgb(${rgb.map((light) => Math.round(255 * Math.min(1, Math.max(0, straight(light))))).join(', ')})`

type Matrix = readonly (readonly [number, number, number])[]
export const times = (matrix: Matrix, [a, b, c]: Rgb) => matrix.map(([x, y, z]) => x * a + y * b + z * c) as Rgb

// Ottosson's OKLab: to the cones, their cube root, to lightness and two axes of hue
const TO_CONES: Matrix = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
]
const TO_LAB: Matrix = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
]
const FROM_LAB: Matrix = [
  [1, 0.3963377774, 0.2158037573],
  [1, -0.1055613458, -0.0638541728],
  [1, -0.0894841775, -1.291485548],
]
const FROM_CONES: Matrix = [
  [4.0767416621, -3.3077115913, 0.2309699292],
  [-1.2684380046, 2.6097574011, -0.3413193965],
  [-0.0041960863, -0.7034186147, 1.707614701],
]

export const labOf = (rgb: Rgb) => times(TO_LAB, times(TO_CONES, rgb).map(Math.cbrt) as Rgb)
const rgbOfLab = (lab: Rgb) => times(FROM_CONES, times(FROM_LAB, lab).map((cone) => cone ** 3) as Rgb)

export function mixed(from: string, to: string, share: number) {
  const [a, b] = [labOf(rgbOf(from)), labOf(rgbOf(to))]
  return textOf(rgbOfLab(a.map((value, i) => value + ((b[i] ?? 0) - value) * share) as Rgb))
}

const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b

// As WCAG has it, from 1 to 21.
export function contrast(one: string, other: string) {
  const [a, b] = [luminance(rgbOf(one)), luminance(rgbOf(other))]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

// Returns black or white, whichever has more contrast with the background.
export const inkOn = (ground: string) =>
  contrast(ground, '#000000') > contrast(ground, '#ffffff') ? '#000000' : '#ffffff'
