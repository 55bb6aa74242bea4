/**
 * Series colors. They follow the hues of Okabe and Ito's palette for color-blind readers, with the
 * brand's blue in place of theirs, and are darkened or lightened for each background: each has a
 * contrast of at least 3:1, and any two stay distinct under protanopia, deuteranopia, and
 * tritanopia (a test measures both).
 */
import { palettes, type Palette } from '../../theme/palette'

export const SERIES_COLORS = {
  light: ['#0084ff', '#dd5f0e', '#0a6b4a', '#b5668f', '#5c1f94', '#22304a'],
  dark: ['#0084ff', '#e2570f', '#3fbf8f', '#e07fc9', '#f0e442', '#f2f6fb'],
} as const

/** For lines that aren't a series of their own: the rest, the previous period. */
export const NEUTRAL = -1

type ThemeName = keyof typeof SERIES_COLORS

export interface ChartColors {
  palette: Palette
  theme: ThemeName
}

export function chartColors(dark: boolean): ChartColors {
  const theme = dark ? 'dark' : 'light'
  return { palette: palettes[theme], theme }
}

export interface Stroke {
  color: string
  line: 'solid' | 'dashed' | 'dotted'
}

/** With more series than colors, colors repeat with dotted lines, so no two look the same. */
export function strokeOf(index: number, dashed: boolean, { palette, theme }: ChartColors): Stroke {
  const colors = SERIES_COLORS[theme]
  const again = index >= colors.length
  return {
    color: index === NEUTRAL ? palette['text-soft'] : colors[index % colors.length]!,
    line: dashed ? 'dashed' : again ? 'dotted' : 'solid',
  }
}
