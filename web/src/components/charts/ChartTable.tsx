import { memo } from 'react'
import { useT } from '../../i18n/useT'
import { bucketLabel, plainCount, type BucketStyle } from './format'
import { HiddenTable } from './HiddenTable'
import type { ChartSeries } from './series'

interface ChartTableProps {
  caption: string
  times: number[]
  series: ChartSeries[]
  /** The index of the unfinished bucket, or -1. */
  unfinished: number
  style: BucketStyle
}

/** The numbers behind the lines. Memoized, so it isn't rebuilt while the pointer moves. */
export const ChartTable = memo(function ChartTable(props: ChartTableProps) {
  const { caption, times, series, unfinished, style } = props
  const t = useT()
  return (
    <HiddenTable
      caption={caption}
      heading={t('chart.time')}
      labels={times.map((time) => bucketLabel(time, style))}
      series={series}
      unfinished={times.map((_, index) => index === unfinished)}
      format={(value) => plainCount(value, style.language)}
    />
  )
})
