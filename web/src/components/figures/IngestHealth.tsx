import type { OverallIngest, RejectionReason } from '../../api/overall'
import { BlockSkeleton, DataCard } from '../charts/DataCard'
import { percent } from '../charts/format'
import { ShareBar } from '../charts/ShareBar'
import { Moment } from '../Moment'
import { Counted } from '../table/Counted'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { CsvButton } from './ExportButtons'
import { useOverall } from './board'
import styles from './IngestHealth.module.css'

const COUNTERS = ['accepted', 'duplicate', 'rejected'] as const

/** What happened to the messages apps sent, and why some were rejected. */
export function IngestHealth() {
  const t = useT()
  const query = useOverall('ingest')
  const title = t('dashboard.ingest')
  return (
    <DataCard
      title={title}
      definition={t('dashboard.ingestDefinition')}
      query={query}
      skeleton={<BlockSkeleton height={360} />}
      actions={query.data?.can_export && <CsvButton table="ingest" title={title} />}
    >
      {({ ingest }) => <Health ingest={ingest} />}
    </DataCard>
  )
}

function Health({ ingest }: { ingest: OverallIngest }) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const { accepted, duplicate, rejected, reasons, over_limit } = ingest
  const all = accepted + duplicate + rejected
  return (
    <div className={styles.health}>
      <dl className={styles.counters}>
        {COUNTERS.map((counter) => (
          <div key={counter} data-counter={counter}>
            <dt>{t(`ingest.${counter}`)}</dt>
            <dd>
              <Counted value={ingest[counter]} />
              {all > 0 && <small>{percent(ingest[counter] / all, language)}</small>}
            </dd>
          </div>
        ))}
      </dl>
      {reasons.length > 0 ? (
        <div>
          <h3 className={styles.title}>{t('ingest.reasons')}</h3>
          <ul className={styles.reasons}>
            {reasons.map((reason) => (
              <Reason key={reason.reason} reason={reason} rejected={rejected} />
            ))}
          </ul>
        </div>
      ) : (
        over_limit.length === 0 && (
          <p className={styles.soft}>{t(all > 0 ? 'dashboard.allWell' : 'dashboard.none')}</p>
        )
      )}
      {over_limit.length > 0 && (
        <div>
          <h3 className={styles.title}>{t('ingest.overLimit')}</h3>
          <ul className={styles.reasons}>
            {over_limit.map(({ limit, name, count }) => (
              <li key={limit} className={styles.reason}>
                <span className={styles.name}>{name}</span>
                <Counted value={count} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}

function Reason({ reason, rejected }: { reason: RejectionReason; rejected: number }) {
  const t = useT()
  const { name, count, samples } = reason
  return (
    <li>
      <div className={styles.reason}>
        <span className={styles.name}>
          {name} <code>{reason.reason}</code>
        </span>
        <Counted value={count} />
        <ShareBar share={rejected > 0 ? Math.min(1, count / rejected) : 0} />
      </div>
      {samples.length > 0 && (
        <details className={styles.samples}>
          <summary>{t('dashboard.samples', { name })}</summary>
          <p className={styles.soft}>{t('dashboard.samplesText')}</p>
          {samples.map(({ at, sample }, index) => (
            <figure key={index} className={styles.sample}>
              <figcaption className={styles.soft}>
                <Moment at={at} />
              </figcaption>
              <pre tabIndex={0}>{laidOut(sample)}</pre>
            </figure>
          ))}
        </details>
      )}
    </li>
  )
}

/** Pretty-prints valid JSON. */
function laidOut(sample: string): string {
  try {
    return JSON.stringify(JSON.parse(sample), null, 2)
  } catch {
    return sample
  }
}
