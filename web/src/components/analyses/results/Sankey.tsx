import { useCallback, useEffect, useMemo } from 'react'
import type { PathsAnswer } from '../../../api/analysisTypes'
import { chartColors } from '../../charts/colors'
import { useChart } from '../../charts/useChart'
import { useT } from '../../../i18n/useT'
import { useIsDark, useThemeStore } from '../../../theme/store'
import { placesOf, sankeyOption, sizeOf, type Flow } from './flows'
import { Stage } from './Stage'
import { Scroll } from './Scroll'

const ROW_HEIGHT = 44
const COLUMN_WIDTH = 170

interface SankeyProps {
  flows: Flow[]
  side: PathsAnswer['side']
  label: string
  onPlace: (id: string) => void
  onFlow: ((flow: Flow) => void) | null
}

/** What a click on the library's drawing is given: a node, or a link between two. */
interface Clicked {
  name?: string
  source?: string
  target?: string
}

export function Sankey({ flows, side, label, onPlace, onFlow }: SankeyProps) {
  const t = useT()
  const dark = useIsDark()
  const animated = !useThemeStore((state) => state.lessMotion)
  const option = useCallback(
    () => sankeyOption({ flows, side, colors: chartColors(dark), animated, t }),
    [flows, side, dark, animated, t],
  )
  const drawn = useChart(option)
  const { chart } = drawn
  useEffect(() => {
    if (!chart) return
    const choose = ({ dataType, data: given }: { dataType?: string; data?: unknown }) => {
      const data = given as Clicked | undefined
      if (dataType === 'node' && data?.name) onPlace(data.name)
      const flow = flows.find(
        ({ source, target }) => source.id === data?.source && target.id === data.target,
      )
      if (dataType === 'edge' && flow) onFlow?.(flow)
    }
    chart.on('click', choose)
    return () => {
      if (!chart.isDisposed()) chart.off('click', choose)
    }
  }, [chart, flows, onPlace, onFlow])
  const { rows, columns } = useMemo(() => sizeOf(placesOf(flows)), [flows])
  return (
    <Scroll label={label}>
      <div style={{ minWidth: columns * COLUMN_WIDTH }}>
        <Stage
          drawn={drawn}
          label={label}
          height={Math.max(220, rows * ROW_HEIGHT)}
          leads={false}
        />
      </div>
    </Scroll>
  )
}
