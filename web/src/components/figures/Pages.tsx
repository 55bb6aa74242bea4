/** Which pages people view, where visits begin and end, and which sites refer them. */
import type { OverallPages } from '../../api/overall'
import { BarList } from '../charts/BarList'
import { BlockSkeleton, DataCard } from '../charts/DataCard'
import { useT } from '../../i18n/useT'
import type { TrendDraft } from '../analyses/question'
import { CsvButton } from './ExportButtons'
import { useOverall } from './board'
import { shareOf } from './shares'
import { TrendLink } from './TrendLink'
import { propertyTrend } from './trends'
import styles from './Breakdowns.module.css'

type Translate = ReturnType<typeof useT>

interface Row {
  name: string
  /** The counts, followed by people where available. */
  counts: number[]
  other: boolean
}

interface List {
  table: 'pages' | 'entry_pages' | 'exit_pages' | 'sites'
  property: '$url_path' | '$referring_site'
  rows: (pages: OverallPages) => Row[]
  columns: (t: Translate) => string[]
}

const views = (t: Translate) => [t('metric.page_views'), t('dashboard.users')]
const visits = (t: Translate) => [t('pages.visits')]

const LISTS: List[] = [
  {
    table: 'pages',
    property: '$url_path',
    rows: ({ top }) =>
      top.map(({ page, page_views, users, other }) => ({
        name: page,
        counts: [page_views, users],
        other,
      })),
    columns: views,
  },
  {
    table: 'sites',
    property: '$referring_site',
    rows: ({ sites }) =>
      sites.map(({ site, page_views, users, other }) => ({
        name: site,
        counts: [page_views, users],
        other,
      })),
    columns: views,
  },
  {
    table: 'entry_pages',
    property: '$url_path',
    rows: ({ entries }) =>
      entries.map(({ page, visits, other }) => ({ name: page, counts: [visits], other })),
    columns: visits,
  },
  {
    table: 'exit_pages',
    property: '$url_path',
    rows: ({ exits }) =>
      exits.map(({ page, visits, other }) => ({ name: page, counts: [visits], other })),
    columns: visits,
  },
]

/** All four from a single request. */
export function Pages() {
  return (
    <div className={styles.breakdowns}>
      {LISTS.map((list) => (
        <PageList key={list.table} list={list} />
      ))}
    </div>
  )
}

function PageList({ list }: { list: List }) {
  const t = useT()
  const { table, property } = list
  const query = useOverall('pages')
  const title = t(`pages.${table}`)
  return (
    <DataCard
      title={title}
      definition={t(`pages.${table}.definition`)}
      query={query}
      skeleton={<BlockSkeleton height={220} />}
      actions={query.data?.can_export && <CsvButton table={table} title={title} />}
    >
      {({ pages }) => {
        const rows = list.rows(pages)
        const counted = rows.map(({ counts }) => ({ events: counts[0]! }))
        if (rows.length === 0) {
          const none = pages.ready ? t(`pages.${table}.none`) : t('pages.counting')
          return <p className={styles.none}>{none}</p>
        }
        return (
          <BarList
            label={title}
            heading={title}
            columns={list.columns(t)}
            rows={rows.map(({ name, counts, other }) => ({
              // A page can be called "other".
              key: other ? 'the rest' : `=${name}`,
              name: <RowName property={property} name={name} other={other} />,
              share: shareOf(counts[0]!, counted),
              counts,
              soft: other || name === '',
            }))}
          />
        )
      }}
    </DataCard>
  )
}

interface RowNameProps {
  property: List['property']
  name: string
  other: boolean
}

function RowName({ property, name, other }: RowNameProps) {
  const t = useT()
  if (other) return t('dashboard.other')
  // A masked site has nothing to link to.
  if (property === '$referring_site' && name === '***') return t('pages.hidden')
  const trend: TrendDraft = propertyTrend('page_view', property, name)
  const none = property === '$referring_site' ? t('pages.direct') : t('dashboard.unknown')
  return <TrendLink trend={trend}>{name === '' ? none : name}</TrendLink>
}
