import { useCallback, useEffect, useMemo } from 'react'
import type { PathsAnswer } from '../../../api/analysisTypes'
import { chartColors } from '../../charts/colors'
import { useChart } from '../../charts/useChart'
import { useIsNarrow } from '../../table/useIsNarrow'
import { useT } from '../../../i18n/useT'
import { useIsDark, useThemeStore } from '../../../theme/store'
import {
  NARROW_COLUMN,
  placesOf,
  ROOMY_COLUMN,
  sankeyHeight,
  sankeyOption,
  sizeOf,
  type Flow,
} from './flows'
import { Stage } from './Stage'
import { Scroll } from './Scroll'
import { nodeName } from './words'

interface SankeyProps {
  flows: Flow[]
  side: PathsAnswer['side']
  label: string
  onPlace: (id: string) => void
  onFlow: ((flow: Flow) => void) | null
}

/** What ECharts says about the drawing: a node, or a link between two. */
interface SankeyItem {
  name?: string
  source?: string
  target?: string
}

export function Sankey({ flows, side, label, onPlace, onFlow }: SankeyProps) {
  const t = useT()
  const narrow = useIsNarrow()
  const dark = useIsDark()
  const animated = !useThemeStore((state) => state.lessMotion)
  const option = useCallback(
    (width: () => number) =>
      sankeyOption({ flows, side, colors: chartColors(dark), animated, width, t }),
    [flows, side, dark, animated, t],
  )
  const drawn = useChart(option)
  const { chart, host } = drawn
  const places = useMemo(() => placesOf(flows), [flows])
  useEffect(() => {
    if (!chart) return
    const flowOf = ({ source: from, target: to }: SankeyItem) =>
      flows.find(({ source, target }) => source.id === from && target.id === to)
    // The full name and count: there is little room beside a node.
    const showTitle = ({ data }: { data?: unknown }) => {
      const item = (data ?? {}) as SankeyItem
      const place = places.find(({ id }) => id === item.name)
      const flow = flowOf(item)
      const element = host.current
      if (!element) return
      if (place) element.title = nodeName(place.node, t)
      else if (!flow) element.title = ''
      else {
        const ends = [flow.source, flow.target].map(({ node }) => nodeName(node, t)).join(' → ')
        element.title = `${ends} · ${t('results.peopleTotal', { count: flow.people })}`
      }
    }
    const clearTitle = () => showTitle({})
    const choose = ({ dataType, data }: { dataType?: string; data?: unknown }) => {
      const item = (data ?? {}) as SankeyItem
      if (dataType === 'node' && item.name) onPlace(item.name)
      const flow = flowOf(item)
      if (dataType === 'edge' && flow) onFlow?.(flow)
    }
    chart.on('mouseover', showTitle)
    chart.on('mouseout', clearTitle)
    chart.on('click', choose)
    return () => {
      if (chart.isDisposed()) return
      chart.off('mouseover', showTitle)
      chart.off('mouseout', clearTitle)
      chart.off('click', choose)
    }
  }, [chart, host, flows, places, onPlace, onFlow, t])
  const { columns } = useMemo(() => sizeOf(places), [places])
  // A phone has to scroll anyway, so its labels get room. Elsewhere the whole is seen at once.
  const column = narrow ? ROOMY_COLUMN : NARROW_COLUMN
  return (
    <Scroll label={label}>
      <div style={{ minWidth: columns * column }}>
        <Stage drawn={drawn} label={label} height={sankeyHeight(flows)} leads={false} />
      </div>
    </Scroll>
  )
}
