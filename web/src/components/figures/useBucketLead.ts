import { useT } from '../../i18n/useT'
import type { TrendDraft } from '../analyses/question'
import { appEntryDestination, follow } from '../../session/appEntry'
import { useBoard } from './board'
import { bucketTime, appsToAsk, trendPath } from './trends'

/**
 * What clicking a bucket does: opens the same figure's trend for its days. A board of several apps
 * has no single trend to open, so it changes its own range instead.
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
