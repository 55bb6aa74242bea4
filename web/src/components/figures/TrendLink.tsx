/** Links a figure to the analysis behind it, over the same days. */
import { Dropdown } from 'antd'
import { useT } from '../../i18n/useT'
import type { TrendDraft } from '../analyses/question'
import { useBoard } from './board'
import { EntryLink } from './EntryLink'
import type { DayRange } from '../range/range'
import { appsToAsk, trendPath, timeOf } from './trends'
import styles from './TrendLink.module.css'

interface TrendLinkProps {
  /** Undefined if no trend analysis matches; then there is no link. */
  trend: TrendDraft | undefined
  /** Days other than the board's. */
  range?: DayRange
  children: React.ReactNode
}

/** Analyses cover one app, so on a board of several apps the user picks one. */
export function TrendLink({ trend, range, children }: TrendLinkProps) {
  const t = useT()
  const board = useBoard()
  const apps = appsToAsk(board)
  if (!trend || apps.length === 0) return children
  const extra = trendPath(trend, range ? timeOf(range) : board.params)
  if (apps.length === 1) {
    return (
      <span className={styles.lead} title={t('analyses.open')}>
        <EntryLink app={apps[0]!} extra={extra}>
          {children}
        </EntryLink>
      </span>
    )
  }
  return (
    <Dropdown
      trigger={['click']}
      autoFocus
      getPopupContainer={(trigger) => trigger.closest('main') ?? document.body}
      menu={{
        className: styles.apps,
        items: apps.map((app) => ({
          key: app.id,
          label: (
            <EntryLink app={app} extra={extra}>
              {app.name}
            </EntryLink>
          ),
        })),
      }}
    >
      <button type="button" className={styles.choose} title={t('analyses.openIn')}>
        {children}
      </button>
    </Dropdown>
  )
}
