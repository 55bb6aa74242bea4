import type { EChartsCoreOption, EChartsType } from 'echarts/core'
import { useEffect, useRef, useState } from 'react'
import { useThemeStore } from '../../theme/store'
import { loadEngine } from './loadEngine'

/** The width A4 leaves for a card within its margins (px). */
const PAPER_WIDTH = 640

/**
 * A chart in an element: created once ECharts has loaded, updated with its options, resized with
 * its element.
 */
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

  // Some drawings depend on the width.
  useEffect(() => {
    // Removes what is no longer drawn; the rest animates instead of being redrawn.
    chart?.setOption(
      option(() => chart.getWidth()),
      { replaceMerge: ['series'] },
    )
  }, [chart, option, width])

  // Print layout happens later and without an event, so the width must be set in advance.
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
