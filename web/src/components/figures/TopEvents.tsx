import { BarList } from '../charts/BarList'
import { BlockSkeleton, DataCard } from '../charts/DataCard'
import { useT } from '../../i18n/useT'
import { CsvButton } from './ExportButtons'
import { useOverall } from './board'
import { TrendLink } from './TrendLink'
import { eventTrend } from './trends'
import { shareOf } from './shares'
import styles from './Breakdowns.module.css'

export function TopEvents() {
  const t = useT()
  const query = useOverall('top_events')
  const title = t('dashboard.topEvents')
  return (
    <DataCard
      title={title}
      definition={t('dashboard.topEventsDefinition')}
      query={query}
      skeleton={<BlockSkeleton height={360} />}
      actions={query.data?.can_export && <CsvButton table="top_events" title={title} />}
    >
      {({ top_events }) =>
        top_events.length === 0 ? (
          <p className={styles.none}>{t('dashboard.none')}</p>
        ) : (
          <BarList
            label={title}
            heading={t('dashboard.event')}
            columns={[t('metric.events'), t('dashboard.users')]}
            rows={top_events.map(({ event, events, users, other }) => ({
              // An app can send an event called "other".
              key: other ? 'over the limit' : `=${event}`,
              name: other ? (
                t('dashboard.overLimit')
              ) : (
                <TrendLink trend={eventTrend(event)}>
                  <code className={styles.code}>{event}</code>
                </TrendLink>
              ),
              share: shareOf(events, top_events),
              counts: [events, users],
              soft: other,
            }))}
          />
        )
      }
    </DataCard>
  )
}
