/** Paths as flows between columns of events. */
import type { EChartsCoreOption } from 'echarts/core'
import type { PathNode, PathsAnswer, Pick as Picked } from '../../../api/analysisTypes'
import { SERIES_COLORS, type ChartColors } from '../../charts/colors'
import { fontFamily } from '../../charts/option'
import type { Translate } from '../../../i18n/store'
import { nodeLabel } from './words'

/** A node in its column; the same event can appear in several columns. */
export interface Place {
  id: string
  /** The number of links from the paths' common end. */
  distance: number
  node: PathNode
}

export interface Flow {
  source: Place
  target: Place
  step: number
  people: number
}

const place = (distance: number, node: PathNode): Place => ({
  id: JSON.stringify([distance, node.kind, node.name, node.page]),
  distance,
  node,
})

/** Links lead away from the common end if paths start there, and toward it if they end there. */
export function flowsOf({ side, links }: Pick<PathsAnswer, 'side' | 'links'>): Flow[] {
  return links.map(({ step, source, target, people }) => ({
    source: place(side === 'from' ? step - 1 : step, source),
    target: place(side === 'from' ? step : step - 1, target),
    step,
    people,
  }))
}

export function placesOf(flows: Flow[]): Place[] {
  const all = new Map<string, Place>()
  for (const { source, target } of flows) {
    all.set(source.id, source).set(target.id, target)
  }
  return [...all.values()]
}

/** The size of the fullest column, and the number of columns. */
export function sizeOf(places: Place[]): { rows: number; columns: number } {
  const counts = new Map<number, number>()
  for (const { distance } of places) counts.set(distance, (counts.get(distance) ?? 0) + 1)
  return { rows: Math.max(0, ...counts.values()), columns: counts.size }
}

const ROW_HEIGHT = 44

export const sankeyHeight = (flows: Flow[]) =>
  Math.max(220, sizeOf(placesOf(flows)).rows * ROW_HEIGHT)

type PathPick = Extract<Picked, { of: 'paths' }>

/** Everyone who passed this node, or all people at the common end. */
export const pickOfPlace = ({ distance, node }: Place): PathPick => ({
  of: 'paths',
  step: distance,
  source: null,
  target: node,
})

export const pickOfFlow = ({ step, source, target }: Flow): PathPick => ({
  of: 'paths',
  step,
  source: source.node,
  target: target.node,
})

interface Drawing {
  flows: Flow[]
  side: PathsAnswer['side']
  colors: ChartColors
  animated: boolean
  width: () => number
  t: Translate
}

/** A column whose labels are rarely cut off. */
export const ROOMY_COLUMN = 112
/** The narrowest column whose labels still tell most nodes apart: eight steps beside the builder. */
export const NARROW_COLUMN = 60

const ROOMY = { nodeWidth: 12, distance: 5, fontSize: 12 }
const DENSE = { nodeWidth: 8, distance: 4, fontSize: 11 }
/** Between a label and the next column. */
const LABEL_GAP = 6

export function sankeyOption(drawing: Drawing): EChartsCoreOption {
  const { flows, side, colors, animated, width, t } = drawing
  const { palette, theme } = colors
  const places = placesOf(flows)
  const columns = Math.max(1, ...places.map(({ distance }) => distance))
  // Labels are to the right of their nodes, including the last column's.
  const column = Math.max(NARROW_COLUMN, width() / (columns + 1))
  const { nodeWidth, distance, fontSize } = column < ROOMY_COLUMN ? DENSE : ROOMY
  const colorOf = colorsOf(places, SERIES_COLORS[theme], palette['text-soft'])
  return {
    animation: animated,
    animationDuration: 300,
    textStyle: { fontFamily: fontFamily(), color: palette.text },
    series: [
      {
        id: 'paths',
        type: 'sankey',
        left: 4,
        right: column - nodeWidth,
        top: 8,
        bottom: 8,
        nodeGap: 18,
        nodeWidth,
        draggable: false,
        layoutIterations: 32,
        emphasis: { focus: 'adjacency' },
        label: {
          color: palette.text,
          distance,
          fontSize,
          width: column - nodeWidth - distance - LABEL_GAP,
          overflow: 'truncate',
          formatter: ({ data }: { data: { told: string } }) => data.told,
        },
        lineStyle: { color: 'source', opacity: 0.25, curveness: 0.5 },
        data: places.map((at) => ({
          name: at.id,
          told: nodeLabel(at.node, t),
          depth: side === 'from' ? at.distance : columns - at.distance,
          itemStyle: { color: colorOf(at) },
        })),
        links: flows.map(({ source, target, people }) => ({
          source: source.id,
          target: target.id,
          value: people,
        })),
      },
    ],
  }
}

/** An event has the same color in every column; nodes that aren't events have none. */
function colorsOf(places: Place[], colors: readonly string[], none: string) {
  const names = new Map<string, string>()
  for (const { node } of places) {
    const name = JSON.stringify([node.name, node.page])
    if (node.kind === 'event' && !names.has(name)) {
      names.set(name, colors[names.size % colors.length]!)
    }
  }
  return ({ node }: Place) =>
    node.kind === 'event' ? names.get(JSON.stringify([node.name, node.page]))! : none
}
