/** Every shortcut, defined once: bindings use these names, and the help lists them. */
import type { MessageKey } from '../../i18n/store'

interface Group {
  title: MessageKey
  keys: readonly { press: string; says: MessageKey }[]
}

/** `Mod` is ⌘ on a Mac and Ctrl elsewhere; "d 7" is one key after the other. */
export const SHORTCUT_GROUPS = [
  {
    title: 'keys.everywhere',
    keys: [
      { press: 'Mod+k', says: 'palette.open' },
      { press: '?', says: 'keys.title' },
      { press: 'F8', says: 'keys.notice' },
      { press: 'Escape', says: 'keys.close' },
    ],
  },
  {
    title: 'keys.range',
    keys: [
      { press: 't', says: 'range.preset.today' },
      { press: 'y', says: 'range.preset.yesterday' },
      { press: 'd 7', says: 'range.preset.7d' },
      { press: 'd 1', says: 'range.preset.14d' },
      { press: 'd 3', says: 'range.preset.30d' },
      { press: 'd 9', says: 'range.preset.90d' },
      { press: 'm', says: 'range.preset.month' },
      { press: 'M', says: 'range.preset.last_month' },
      { press: '[', says: 'range.earlier' },
      { press: ']', says: 'range.later' },
    ],
  },
  {
    title: 'title.dataDashboard',
    keys: [
      { press: 'r', says: 'dashboard.refresh' },
      { press: 'f', says: 'dashboard.fullScreen' },
    ],
  },
  {
    title: 'keys.chart',
    keys: [
      { press: 'ArrowLeft', says: 'keys.chartEarlier' },
      { press: 'ArrowRight', says: 'keys.chartLater' },
    ],
  },
] as const satisfies readonly Group[]

export type Press = (typeof SHORTCUT_GROUPS)[number]['keys'][number]['press']

const onMac = /Mac|iP(hone|ad)/.test(navigator.platform)
export const modIs: 'metaKey' | 'ctrlKey' = onMac ? 'metaKey' : 'ctrlKey'

const NAMES: Record<string, string> = {
  Mod: onMac ? '⌘' : 'Ctrl',
  ArrowLeft: '←',
  ArrowRight: '→',
  Escape: 'Esc',
}

/** The keys to press, as labeled on a keyboard. */
export function capsOf(press: Press): string[] {
  return press
    .split(/[ +]/)
    .flatMap((key) => (/^[A-Z]$/.test(key) ? ['Shift', key] : [NAMES[key] ?? key]))
    .map((cap) => (/^[a-z]$/.test(cap) ? cap.toUpperCase() : cap))
}
