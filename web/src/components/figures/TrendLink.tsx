/** Leads from a figure to the question behind it, over the same days. */
import { Dropdown } from 'antd'
import { useT } from '../../i18n/useT'
import type { TrendDraft } from '../analyses/question'
import { useBoard } from './board'
import { EntryLink } from './EntryLink'
import type { DayRange } from '../range/range'
import { appsToAsk, trendPath, timeOf } from './trends'
import styles from './TrendLink.module.css'

interface TrendLinkProps {
  /** None where no trend can answer it: then there is nothing to follow. */
  trend: TrendDraft | undefined
  /** Other days than the board's. */
  range?: DayRange
  children: React.ReactNode
}

/** Analyses look at one app at a time, so a board of several asks which. */
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
