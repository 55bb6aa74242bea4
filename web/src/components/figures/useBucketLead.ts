import { useT } from '../../i18n/useT'
import type { Question } from '../explore/question'
import { appEntryDestination, follow } from '../../session/appEntry'
import { useBoard } from './board'
import { bucketTime, explorableApps, explorePath } from './exploring'

/**
 * What a bucket of a chart leads to: the explorer with the same question over its days. A board of
 * several apps has no one explorer; there the board itself turns to those days.
 */
export function useBucketLead(
  question: Question | undefined,
  times: number[],
  granularity?: 'day',
) {
  const t = useT()
  const board = useBoard()
  const [app, ...others] = explorableApps(board)
  const time = (index: number) =>
    bucketTime(times[index]!, granularity ?? board.params.granularity, board.params)

  if (question && app && others.length === 0) {
    const { org_id, id: app_id, endpoint, is_local } = app
    return {
      hint: t('explore.openPoint'),
      does: (index: number) => {
        const extra = explorePath(question, time(index))
        follow(appEntryDestination({ org_id, app_id, endpoint, is_local }, extra))
      },
    }
  }
  const { start, end } = board.params.range
  if (start === end) return undefined
  return {
    hint: t('dashboard.zoomPoint'),
    does: (index: number) => board.params.setRange(time(index).range),
  }
}
