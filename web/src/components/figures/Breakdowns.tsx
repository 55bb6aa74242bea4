import { DIMENSIONS, type Dimension } from '../../api/overall'
import { BarList } from '../charts/BarList'
import { BlockSkeleton, DataCard } from '../charts/DataCard'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { CsvButton } from './ExportButtons'
import { useOverall } from './board'
import { TrendLink } from './TrendLink'
import { valueTrend } from './trends'
import { languageName } from './languageName'
import { shareOf } from './shares'
import styles from './Breakdowns.module.css'

/** Browsers, systems, devices, and languages, from a single request. */
export function Breakdowns() {
  return (
    <div className={styles.breakdowns}>
      {DIMENSIONS.map((dimension) => (
        <Breakdown key={dimension} dimension={dimension} />
      ))}
    </div>
  )
}

function Breakdown({ dimension }: { dimension: Dimension }) {
  const t = useT()
  const query = useOverall('breakdowns')
  const title = t(`dashboard.by.${dimension}`)
  return (
    <DataCard
      title={title}
      definition={t('dashboard.breakdownDefinition')}
      query={query}
      skeleton={<BlockSkeleton height={220} />}
      actions={query.data?.can_export && <CsvButton table={dimension} title={title} />}
    >
      {({ breakdowns: { [dimension]: items } }) =>
        items.length === 0 ? (
          <p className={styles.none}>{t('dashboard.none')}</p>
        ) : (
          <BarList
            label={title}
            heading={title}
            columns={[t('metric.events'), t('dashboard.users')]}
            rows={items.map(({ value, events, users, other }) => ({
              // An app can report "other" as a real value.
              key: other ? 'the rest' : `=${value}`,
              name: other ? (
                t('dashboard.other')
              ) : (
                <TrendLink trend={valueTrend(dimension, value)}>
                  <ValueName dimension={dimension} value={value} />
                </TrendLink>
              ),
              share: shareOf(events, items),
              counts: [events, users],
              soft: other || value === '',
            }))}
          />
        )
      }
    </DataCard>
  )
}

function ValueName({ dimension, value }: { dimension: Dimension; value: string }) {
  const t = useT()
  if (value === '') return t('dashboard.unknown')
  return dimension === 'language' ? <LanguageName code={value} /> : value
}

function LanguageName({ code }: { code: string }) {
  const language = useLanguageStore((state) => state.currentLang)
  const name = languageName(code, language)
  return name === null ? (
    code
  ) : (
    <>
      {name}
      <span className={styles.tag}>{code}</span>
    </>
  )
}
