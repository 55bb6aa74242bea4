import type { EChartsCoreOption, EChartsType } from 'echarts/core'
import { useEffect, useRef, useState } from 'react'
import { useThemeStore } from '../../theme/store'
import { loadEngine } from './loadEngine'

/** What A4 leaves between its margins and a card's (px). */
const PAPER_WIDTH = 640

/** A chart in an element: made when the library is there, redrawn with what it is told, as large as its element. */
export function useChart(option: (width: () => number) => EChartsCoreOption) {
  const host = useRef<HTMLDivElement>(null)
  const [chart, setChart] = useState<EChartsType | null>(null)
  const [failed, setFailed] = useState(false)
  const [attempt, setAttempt] = useState(0)
  const [width, setWidth] = useState(0)

  useEffect(() => {
    let left = false
    let made: EChartsType | null = null
    const resized = new ResizeObserver(() => {
      if (!made) return
      made.resize()
      setWidth(made.getWidth())
    })
    loadEngine().then(
      ({ init }) => {
        if (left || !host.current) return
        made = init(host.current)
        resized.observe(host.current)
        setChart(made)
        setWidth(made.getWidth())
      },
      () => setFailed(true),
    )
    return () => {
      left = true
      resized.disconnect()
      made?.dispose()
      setChart(null)
    }
  }, [attempt])

  // Some of what is drawn is cut to the width.
  useEffect(() => {
    // What is not drawn any more goes; what stays moves instead of being drawn anew.
    chart?.setOption(
      option(() => chart.getWidth()),
      { replaceMerge: ['series'] },
    )
  }, [chart, option, width])

  // Paper is laid out after this moment and without telling: the width has to be known before.
  const printing = useThemeStore((state) => state.printing)
  useEffect(() => {
    if (!chart || !printing) return
    chart.resize({ width: PAPER_WIDTH })
    return () => chart.resize({ width: 'auto' })
  }, [chart, printing])

  const retry = () => {
    setFailed(false)
    setAttempt((count) => count + 1)
  }
  return { host, chart, failed, retry }
}
