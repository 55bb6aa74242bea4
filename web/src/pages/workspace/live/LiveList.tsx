import { Button } from 'antd'
import { LinkButton } from '../../../components/LinkButton'
import { EmptyFace } from '../../../components/table/EmptyFace'
import { RowSkeleton } from '../../../components/table/RowSkeleton'
import { Waiting } from '../../../components/Waiting'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { paths } from '../../../paths'
import type { LiveState } from './keepWatching'
import { LiveItem } from './LiveItem'
import type { LiveRow } from './rows'
import styles from './live.module.css'

/** Column headings, where there is room for columns. */
const HEADS = ['live.at', 'live.outcome', 'events.event', 'live.who', 'live.what'] as const

const ROWS_EXPECTED = 8

interface LiveListProps {
  rows: LiveRow[]
  state: LiveState
  /** Messages arrived, but none pass the filter. */
  filtered: boolean
  onClear: () => void
}

export function LiveList({ rows, state, filtered, onClear }: LiveListProps) {
  const t = useT()
  const { app } = useApp()
  if (rows.length > 0) {
    return (
      <div className={styles.frame}>
        <div className={styles.heads}>
          {HEADS.map((head) => (
            <span key={head}>{t(head)}</span>
          ))}
        </div>
        <ol className={styles.list} aria-label={t('title.live')}>
          {rows.map(({ key, message }) => (
            <LiveItem key={key} message={message} />
          ))}
        </ol>
      </div>
    )
  }
  // Whether there are any is only known once the stream is open.
  if (!filtered && state.kind === 'connecting') {
    return (
      <Waiting>
        <RowSkeleton rows={ROWS_EXPECTED} />
      </Waiting>
    )
  }
  if (!filtered && state.kind !== 'live') return null
  return filtered ? (
    <EmptyFace
      title={t('live.nothingFound')}
      action={<Button onClick={onClear}>{t('table.clear')}</Button>}
    >
      {t('live.nothingFoundText')}
    </EmptyFace>
  ) : app.has_events ? (
    <EmptyFace title={t('live.none')}>{t('live.noneNew')}</EmptyFace>
  ) : (
    <EmptyFace
      title={t('live.none')}
      action={<LinkButton to={paths.workspace.quickStart(app)}>{t('title.quickStart')}</LinkButton>}
    >
      {t('live.noneText')}
    </EmptyFace>
  )
}
