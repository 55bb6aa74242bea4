/** Whether data arrives, and what was rejected. Turns green automatically with the first event. */
import { useQuery } from '@tanstack/react-query'
import { INGEST_DAYS, ingestQuery, type Ingest } from '../../api/ingest'
import { Loaded } from '../../components/Loaded'
import { Moment } from '../../components/Moment'
import { Panel } from '../../components/Panel'
import { Counted } from '../../components/table/Counted'
import { useNow } from '../../components/useNow'
import { useLanguageStore } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { useApp } from '../../session/app'
import { flowOf } from './flow'
import styles from './receiving.module.css'

const LAST = {
  arriving: 'ingest.last',
  waiting: 'ingest.silent',
  silent: 'ingest.silent',
  stopped: 'ingest.stopped',
} as const

export function Receiving() {
  const t = useT()
  const { app } = useApp()
  const language = useLanguageStore((state) => state.currentLang)
  const ingest = useQuery(ingestQuery(app.id, language))
  return (
    <Panel title={t('ingest.title')} lead={t('ingest.lead', { days: INGEST_DAYS })}>
      <Loaded query={ingest} skeleton={3}>
        {(found) => <Figures ingest={found} />}
      </Loaded>
    </Panel>
  )
}

function Figures({ ingest }: { ingest: Ingest }) {
  const t = useT()
  const { app } = useApp()
  const { last_event_at, reasons, over_limit, spool } = ingest
  const flow = flowOf(app, ingest, useNow())
  return (
    <div className={styles.receiving}>
      <p className={styles.state} data-flow={flow} role="status">
        {last_event_at ? (
          <span>
            <Moment after={t(LAST[flow])} at={last_event_at} />
          </span>
        ) : (
          t(flow === 'waiting' ? 'ingest.waiting' : 'ingest.none')
        )}
      </p>
      <dl className={styles.figures}>
        {(['accepted', 'duplicate', 'rejected'] as const).map((counter) => (
          <div key={counter}>
            <dt>{t(`ingest.${counter}`)}</dt>
            <dd>
              <Counted value={ingest[counter]} />
            </dd>
          </div>
        ))}
      </dl>
      {spool.pending > 0 && (
        <p className={styles.soft}>
          {t('ingest.pending')} <Counted value={spool.pending} />
        </p>
      )}
      {reasons.length > 0 && (
        <div>
          <h3 className={styles.reasonsTitle}>{t('ingest.reasons')}</h3>
          <ul className={styles.reasons}>
            {reasons.map(({ reason, name, count }) => (
              <li key={reason}>
                <span>
                  {name} <code>{reason}</code>
                </span>
                <Counted value={count} />
              </li>
            ))}
          </ul>
        </div>
      )}
      {over_limit.length > 0 && (
        <div>
          <h3 className={styles.reasonsTitle}>{t('ingest.overLimit')}</h3>
          <ul className={styles.reasons}>
            {over_limit.map(({ limit, name, count }) => (
              <li key={limit}>
                <span>{name}</span>
                <Counted value={count} />
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
