// Needs no page.
import { describe, expect, it } from 'vitest'
import { BRAND, palettes } from '../../theme/palette'
import { chartColors, NEUTRAL, SERIES_COLORS, strokeOf } from './colors'

type Rgb = [number, number, number]

/** Linear RGB. */
function linear(hex: string): Rgb {
  return [1, 3, 5].map((at) => {
    const channel = parseInt(hex.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  }) as Rgb
}

const luminance = ([r, g, b]: Rgb) => 0.2126 * r + 0.7152 * g + 0.0722 * b

function contrast(one: string, other: string): number {
  const [dark, light] = [linear(one), linear(other)].map(luminance).sort((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}

/** What people missing one type of cone see (Machado, Oliveira and Fernandes, 2009). */
const EYES: Record<string, [Rgb, Rgb, Rgb]> = {
  all: [
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
}

const times = (matrix: [Rgb, Rgb, Rgb], color: Rgb) =>
  matrix.map((row) =>
    Math.min(1, Math.max(0, row[0] * color[0] + row[1] * color[1] + row[2] * color[2])),
  ) as Rgb

/** CIE L*a*b*, where distances roughly match perceived differences. */
function lab(color: Rgb): Rgb {
  const [x, y, z] = [
    (0.4124564 * color[0] + 0.3575761 * color[1] + 0.1804375 * color[2]) / 0.95047,
    luminance(color),
    (0.0193339 * color[0] + 0.119192 * color[1] + 0.9503041 * color[2]) / 1.08883,
  ].map((t) => (t > 216 / 24389 ? Math.cbrt(t) : ((24389 / 27) * t + 16) / 116)) as Rgb
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)]
}

describe.each(['light', 'dark'] as const)('the colors of series on %s', (theme) => {
  const colors = SERIES_COLORS[theme]

  it('begin with the brand', () => {
    expect(colors[0]).toBe(BRAND)
  })

  it('stand out from the ground', () => {
    for (const color of colors) {
      expect(contrast(color, palettes[theme].surface), color).toBeGreaterThanOrEqual(3)
    }
  })

  it.each(Object.keys(EYES))('stay apart: %s', (eye) => {
    colors.forEach((one, index) => {
      for (const other of colors.slice(index + 1)) {
        const [p, q] = [one, other].map((hex) => lab(times(EYES[eye]!, linear(hex)))) as [Rgb, Rgb]
        const distance = Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2])
        expect(distance, `${one} ${other}`).toBeGreaterThanOrEqual(20)
      }
    })
  })
})

it('lets no two series look the same', () => {
  const strokes = Array.from({ length: 12 }, (_, index) =>
    strokeOf(index, false, chartColors(true)),
  )
  expect(new Set(strokes.map((stroke) => JSON.stringify(stroke))).size).toBe(12)
  expect(strokeOf(0, true, chartColors(true)).line).toBe('dashed')
  expect(strokeOf(NEUTRAL, false, chartColors(false)).color).toBe(palettes.light['text-soft'])
})
