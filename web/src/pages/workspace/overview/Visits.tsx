/** Which pages are seen, and which sites lead to them. */
import { useQuery } from '@tanstack/react-query'
import { runQuery } from '../../../api/analyses'
import type { Answer, GroupValues, TrendAnswer } from '../../../api/analysisTypes'
import { groupKey, groupName } from '../../../components/analyses/results/words'
import { BarList } from '../../../components/charts/BarList'
import { BlockSkeleton, DataCard } from '../../../components/charts/DataCard'
import { shareOf } from '../../../components/figures/shares'
import { TrendLink } from '../../../components/figures/TrendLink'
import { propertyTrend } from '../../../components/figures/trends'
import type { DayRange } from '../../../components/range/range'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import styles from './overview.module.css'

const BY = ['$url_path', '$referring_site'] as const
type By = (typeof BY)[number]
const TITLES = { $url_path: 'overview.pages', $referring_site: 'overview.sites' } as const
const EVENT = 'page_view'

/** Asked as trends are, so only for who may ask. */
export function Visits({ range }: { range: DayRange }) {
  const { may } = useApp()
  if (!may('query:run')) return null
  return (
    <div className={styles.pair}>
      {BY.map((by) => (
        <VisitsBy key={by} by={by} range={range} />
      ))}
    </div>
  )
}

function VisitsBy({ by, range }: { by: By; range: DayRange }) {
  const t = useT()
  const { app } = useApp()
  const query = useQuery({
    ...runQuery(app.id, {
      kind: 'trend',
      start: range.start,
      end: range.end,
      timezone: app.timezone,
      series: [
        { events: [EVENT], measure: { of: 'events' } },
        { events: [EVENT], measure: { of: 'people' } },
      ],
      // Only the totals are shown.
      granularity: 'month',
      breakdown: [by],
    }),
    select: rowsOf,
  })
  const title = t(TITLES[by])
  return (
    <DataCard
      title={title}
      definition={t('overview.visitsDefinition')}
      query={query}
      skeleton={<BlockSkeleton height={220} />}
    >
      {(rows) =>
        rows.length === 0 ? (
          <p className={styles.none}>{t('dashboard.none')}</p>
        ) : (
          <BarList
            label={title}
            heading={title}
            columns={[t('metric.page_views'), t('dashboard.users')]}
            rows={rows.map(({ group, events, people }, index) => ({
              key: groupKey(group, index),
              name: <VisitsName by={by} group={group} />,
              share: shareOf(events, rows),
              counts: [events, people],
              soft: group.other || group.values[0] === null,
            }))}
          />
        )
      }
    </DataCard>
  )
}

function VisitsName({ by, group }: { by: By; group: GroupValues }) {
  const t = useT()
  const [value] = group.values
  const isDirect = by === '$referring_site' && value === null && !group.other && !group.redacted[0]
  const name = isDirect ? t('overview.direct') : groupName(group, t)
  if (group.other || value == null || group.redacted[0]) return name
  return <TrendLink trend={propertyTrend(EVENT, by, value)}>{name}</TrendLink>
}

interface VisitsRow {
  group: GroupValues
  events: number
  people: number
}

/** The views and the people of each value, the most seen first and the rest last. */
function rowsOf(answer: Answer): VisitsRow[] {
  const [views, people] = (answer as TrendAnswer).series
  const visitors = new Map(people!.groups.map((group, index) => [groupKey(group, index), group]))
  return views!.groups
    .map((group, index) => ({
      group,
      events: group.total ?? 0,
      people: visitors.get(groupKey(group, index))?.total ?? 0,
    }))
    .filter(({ events }) => events > 0)
    .sort(
      (one, other) =>
        Number(one.group.other) - Number(other.group.other) || other.events - one.events,
    )
}
