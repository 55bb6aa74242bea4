import { useQuery } from '@tanstack/react-query'
import { ingestQuery } from '../../../api/ingest'
import { LinkButton } from '../../../components/LinkButton'
import { useLanguageStore } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { paths } from '../../../paths'
import styles from './overview.module.css'

/** Shown above the zeros of an app that has never sent anything: how to start. */
export function NoDataYet() {
  const t = useT()
  const { app } = useApp()
  const language = useLanguageStore((state) => state.currentLang)
  const { data } = useQuery(ingestQuery(app.id, language))
  if (!data || data.last_event_at || app.status !== 'active') return null
  return (
    <section className={styles.first} aria-label={t('overview.noData')}>
      <div>
        <h2 className={styles.firstTitle}>{t('overview.noData')}</h2>
        <p className={styles.soft}>{t('overview.noDataText')}</p>
      </div>
      <LinkButton type="primary" to={paths.workspace.quickStart(app)}>
        {t('title.quickStart')}
      </LinkButton>
    </section>
  )
}
