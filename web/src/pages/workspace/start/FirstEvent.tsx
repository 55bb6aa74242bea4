/** Waits for the first event, and turns green by itself when it comes. */
import { useQuery } from '@tanstack/react-query'
import { ingestQuery } from '../../../api/ingest'
import { LinkButton } from '../../../components/LinkButton'
import { LoadFailure } from '../../../components/LoadFailure'
import { Moment } from '../../../components/Moment'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../layouts/AppSettingsLayoutContext'
import { paths } from '../../../paths'
import { useFirstName } from './useFirstName'
import styles from './start.module.css'

const ASKED_MS = 3_000

export function FirstEvent() {
  const t = useT()
  const { app, may } = useApp()
  const language = useLanguageStore((state) => state.currentLang)
  const ingest = useQuery({
    ...ingestQuery(app.id, language),
    refetchInterval: ({ state }) => (state.data?.last_event_at ? false : ASKED_MS),
  })
  const last = ingest.data?.last_event_at
  const waits = ingest.data !== undefined && !last && app.status === 'active'
  const name = useFirstName(app.id, waits && may('live:view'))

  if (!ingest.data && ingest.error) {
    return (
      <LoadFailure
        error={ingest.error}
        retrying={ingest.isFetching}
        onRetry={() => void ingest.refetch()}
      />
    )
  }
  const arrived = Boolean(last) || name !== null
  return (
    <div className={styles.state} data-arrived={arrived}>
      <p role="status">
        {name !== null
          ? t('start.arrivedNamed', { name })
          : last
            ? t('start.arrived')
            : ingest.data
              ? t(waits ? 'ingest.waiting' : 'ingest.none')
              : t('common.loading')}
      </p>
      {last && (
        <p className={styles.soft}>
          {t('start.lastAt')} <Moment at={last} />
        </p>
      )}
      {arrived && (
        <div className={styles.next}>
          {may('live:view') && (
            <LinkButton size="small" to={paths.workspace.live(app)}>
              {t('title.live')}
            </LinkButton>
          )}
          <LinkButton size="small" to={paths.workspace.overview(app)}>
            {t('title.overview')}
          </LinkButton>
        </div>
      )}
    </div>
  )
}
