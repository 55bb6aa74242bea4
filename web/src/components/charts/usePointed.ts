import type { EChartsType } from 'echarts/core'
import { useState } from 'react'

interface Pointed {
  index: number | null
  byKey: boolean
}

const NOWHERE: Pointed = { index: null, byKey: false }

interface Options {
  /** The index of the unfinished bucket, if any. */
  unfinished?: number
  onChoose?: (index: number) => void
}

/** Tracks the bucket under the mouse, finger, or keyboard, and handles clicks and Enter. */
export function usePointed(
  chart: EChartsType | null,
  count: number,
  { unfinished = -1, onChoose }: Options = {},
) {
  const [{ index, byKey }, setPointed] = useState(NOWHERE)

  const onPointerMove = (event: React.PointerEvent<HTMLElement>) => {
    if (!chart) return
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left
    const at = Number(chart.convertFromPixel({ xAxisIndex: 0 }, x))
    setPointed(Number.isFinite(at) ? { index: within(at, count), byKey: false } : NOWHERE)
  }

  const onClick = (event: React.MouseEvent) => {
    // A tap only reads the values.
    if ((event.nativeEvent as PointerEvent).pointerType === 'touch') return
    if (index !== null) onChoose?.(index)
  }

  const onKeyDown = (event: React.KeyboardEvent) => {
    if (event.key === 'Enter' && index !== null) return onChoose?.(index)
    const target = nextIndex(event.key, index, count, unfinished)
    if (target === undefined) return
    event.preventDefault()
    // Otherwise Escape would also exit full screen.
    if (event.key === 'Escape') event.stopPropagation()
    setPointed({ index: target, byKey: true })
  }

  return {
    index,
    byKey,
    handlers: {
      onPointerMove,
      onPointerDown: onPointerMove,
      onPointerLeave: () => setPointed(NOWHERE),
      onBlur: () => setPointed(NOWHERE),
      onClick,
      onKeyDown,
    },
  }
}

const within = (at: number, count: number) => Math.min(count - 1, Math.max(0, Math.round(at)))

/**
 * Undefined for keys without a meaning here. The first arrow key starts at the newest bucket that
 * has begun.
 */
function nextIndex(
  key: string,
  index: number | null,
  count: number,
  unfinished = -1,
): number | null | undefined {
  const last = count - 1
  const newest = unfinished < 0 ? last : unfinished
  switch (key) {
    case 'ArrowLeft':
      return index === null ? newest : Math.max(0, index - 1)
    case 'ArrowRight':
      return index === null ? newest : Math.min(last, index + 1)
    case 'Home':
      return 0
    case 'End':
      return last
    case 'Escape':
      return index === null ? undefined : null
    default:
      return undefined
  }
}
