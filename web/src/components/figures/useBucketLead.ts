import { useT } from '../../i18n/useT'
import type { TrendDraft } from '../analyses/question'
import { appEntryDestination, follow } from '../../session/appEntry'
import { useBoard } from './board'
import { bucketTime, appsToAsk, trendPath } from './trends'

/**
 * What a bucket of a chart leads to: the trend of the same figure over its days. A board of
 * several apps has no one place for it; there the board itself turns to those days.
 */
export function useBucketLead(trend: TrendDraft | undefined, times: number[], granularity?: 'day') {
  const t = useT()
  const board = useBoard()
  const [app, ...others] = appsToAsk(board)
  const time = (index: number) =>
    bucketTime(times[index]!, granularity ?? board.params.granularity, board.params)

  if (trend && app && others.length === 0) {
    const { org_id, id: app_id, endpoint, is_local } = app
    return {
      hint: t('analyses.openPoint'),
      does: (index: number) => {
        const extra = trendPath(trend, time(index))
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
