/**
 * Colors of series. They follow the hues of Okabe and Ito's palette for color-blind readers, with
 * the brand's blue in the place of theirs, and are darkened or lightened for each ground: every one
 * has at least 3:1 against it, and every two stay apart under protanopia, deuteranopia and
 * tritanopia (a test measures both).
 */
import { palettes, type Palette } from '../../theme/palette'

export const SERIES_COLORS = {
  light: ['#0084ff', '#dd5f0e', '#0a6b4a', '#b5668f', '#5c1f94', '#22304a'],
  dark: ['#0084ff', '#e2570f', '#3fbf8f', '#e07fc9', '#f0e442', '#f2f6fb'],
} as const

/** For what is no series of its own: the rest of all others, the time before. */
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

/** More series than colors begin again, dotted, so that no two look the same. */
export function strokeOf(index: number, dashed: boolean, { palette, theme }: ChartColors): Stroke {
  const colors = SERIES_COLORS[theme]
  const again = index >= colors.length
  return {
    color: index === NEUTRAL ? palette['text-soft'] : colors[index % colors.length]!,
    line: dashed ? 'dashed' : again ? 'dotted' : 'solid',
  }
}
