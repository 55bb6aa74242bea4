/** A fake ECharts that draws nothing but records its options: ten pixels per place. */
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

/** A new instance without drawings. */
export function anEngine(): Engine {
  chart.setOption.mockClear()
  clicked = null
  width = 1000
  vi.stubGlobal(
    'ResizeObserver',
    class implements ResizeObserver {
      constructor(callback: ResizeObserverCallback) {
        onResize = () => callback([], this)
      }
      observe() {}
      unobserve() {}
      disconnect() {}
    },
  )
  return { init: () => chart } as unknown as Engine
}

/** Simulates the browser reporting a new width of the chart's element. */
export function resizeDrawn(to: number) {
  width = to
  onResize?.()
}

interface DrawnSeries {
  id: string
  type: string
  data: unknown[]
  stack?: string
  label?: { width?: number; distance?: number; overflow?: string }
  nodeWidth?: number
  right?: number
  links?: { source: string; target: string; value: number }[]
}

/** The series drawn last. */
export function drawnSeries(): DrawnSeries[] {
  return (chart.setOption.mock.lastCall?.[0].series ?? []) as DrawnSeries[]
}

/** Simulates a click event from the library; false if nobody listens. */
export function clickDrawn(params: object): boolean {
  clicked?.(params)
  return clicked !== null
}
