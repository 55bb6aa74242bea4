/** A chart library that draws nothing, and remembers what it was told to: ten pixels for each place. */
import type { EChartsCoreOption } from 'echarts/core'
import { vi } from 'vitest'
import type { Engine } from '../components/charts/loadEngine'

type OnClick = (params: object) => void
let clicked: OnClick | null = null

const chart = {
  setOption: vi.fn<(option: EChartsCoreOption) => void>(),
  resize: vi.fn(),
  dispose: vi.fn(),
  isDisposed: () => false,
  getWidth: () => 1000,
  convertToPixel: (_: unknown, index: number) => index * 10,
  convertFromPixel: (_: unknown, x: number) => x / 10,
  on: (_: string, handler: OnClick) => {
    clicked = handler
  },
  off: () => {
    clicked = null
  },
}

/** Has drawn nothing yet. */
export function anEngine(): Engine {
  chart.setOption.mockClear()
  clicked = null
  return { init: () => chart } as unknown as Engine
}

interface DrawnSeries {
  id: string
  type: string
  data: unknown[]
  stack?: string
  links?: { source: string; target: string; value: number }[]
}

/** What was drawn last. */
export function drawnSeries(): DrawnSeries[] {
  return (chart.setOption.mock.lastCall?.[0].series ?? []) as DrawnSeries[]
}

/** As the library tells of a click on what it drew; false where nobody listens. */
export function clickDrawn(params: object): boolean {
  clicked?.(params)
  return clicked !== null
}
