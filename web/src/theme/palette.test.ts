// Needs no page.
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { antdTheme } from './antdTheme'
import { BRAND, palettes } from './palette'

const css = readFileSync(resolve(import.meta.dirname, '../styles/base.css'), 'utf8')

function declared(selector: string): Record<string, string> {
  const block = css.slice(css.indexOf(`${selector} {`)).split('}')[0]!
  return Object.fromEntries(
    [...block.matchAll(/--([\w-]+): (#\w+);/g)].map(([, name, value]) => [name, value]),
  )
}

function luminance(hex: string): number {
  const [r, g, b] = [1, 3, 5].map((at) => {
    const channel = parseInt(hex.slice(at, at + 2), 16) / 255
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
  }) as [number, number, number]
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number]
  return (light + 0.05) / (dark + 0.05)
}

describe('the colors', () => {
  it('are the same in the style sheet', () => {
    const { brand, ...light } = declared(':root')
    expect(brand).toBe(BRAND)
    expect(light).toEqual(palettes.light)
    expect(declared(":root[data-theme='dark']")).toEqual(palettes.dark)
  })

  it('keep the primary color the specification names', () => {
    expect(BRAND).toBe('#0084ff')
    expect(antdTheme(false).token?.colorPrimary).toBe(BRAND)
    expect(antdTheme(true).token?.colorPrimary).toBe(BRAND)
  })

  it.each(['light', 'dark'] as const)('can be read: %s', (name) => {
    const palette = palettes[name]
    const pairs = [
      ...(
        ['text', 'text-soft', 'link', 'link-hover', 'danger', 'success', 'warning'] as const
      ).flatMap((ink) =>
        (['surface', 'raised', 'page'] as const).map((ground) => [palette[ink], palette[ground]]),
      ),
      [palette.link, palette.tint],
      [palette.text, palette.tint],
      [palette['text-soft'], palette.tint],
      [palette['on-danger'], palette.danger],
      ...(['solid', 'solid-hover', 'solid-active'] as const).map((ground) => [
        '#ffffff',
        palette[ground],
      ]),
    ] as [string, string][]
    for (const [ink, ground] of pairs) {
      expect(contrast(ink, ground), `${ink} on ${ground}`).toBeGreaterThanOrEqual(4.5)
    }
  })
})
