/** A chart library that draws nothing, and remembers what it was told to: ten pixels for each place. */
import type { EChartsCoreOption } from 'echarts/core'
import { vi } from 'vitest'
import type { Engine } from '../components/charts/loadEngine'

type OnClick = (params: object) => void
let clicked: OnClick | null = null
let width = 1000
let onResize: (() => void) | null = null

const chart = {
  setOption: vi.fn<(option: EChartsCoreOption) => void>(),
  resize: vi.fn(),
  dispose: vi.fn(),
  isDisposed: () => false,
  getWidth: () => width,
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
  width = 1000
  window.ResizeObserver = class {
    constructor(callback: ResizeObserverCallback) {
      onResize = () => callback([], this)
    }
    observe() {}
    unobserve() {}
    disconnect() {}
  }
  return { init: () => chart } as unknown as Engine
}

/** As the browser tells that the chart's element is as wide as this now. */
export function resizeDrawn(to: number) {
  width = to
  onResize?.()
}

interface DrawnSeries {
  id: string
  type: string
  data: unknown[]
  stack?: string
  label?: { width?: number }
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
