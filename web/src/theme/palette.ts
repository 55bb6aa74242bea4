/**
 * The colors of both themes. Ant Design takes them from here; styles/base.css declares the same
 * values as custom properties, because they are needed before any script runs. A test compares the
 * two and checks the contrast of every text color.
 */
export const BRAND = '#0084ff'

/**
 * White on the brand color reaches only 3.6:1. A darker or lighter step of the same hue replaces it
 * under text (solid buttons) or as text (links).
 */
export const palettes = {
  light: {
    page: '#f5f7fa',
    surface: '#ffffff',
    raised: '#ffffff',
    text: '#17202e',
    'text-soft': '#55617a',
    line: '#e2e7ee',
    link: '#0063c4',
    'link-hover': '#004f9e',
    solid: '#0070db',
    'solid-hover': '#0063c4',
    'solid-active': '#0056ab',
    tint: '#e8f3ff',
    danger: '#c9252d',
    'on-danger': '#ffffff',
    success: '#1a7f37',
    warning: '#9a5b00',
  },
  dark: {
    page: '#0e131a',
    surface: '#161d26',
    raised: '#1d2631',
    text: '#e6ebf2',
    'text-soft': '#9aa8bb',
    line: '#2a3543',
    link: '#62b2ff',
    'link-hover': '#8cc7ff',
    solid: '#0070db',
    'solid-hover': '#0074e0',
    'solid-active': '#0063c4',
    tint: '#12293f',
    danger: '#ff7b80',
    'on-danger': '#17202e',
    success: '#56d364',
    warning: '#e3a93c',
  },
} as const

export type Palette = Record<keyof (typeof palettes)['light'], string>
