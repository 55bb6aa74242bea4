import { useMatches } from 'react-router'
import { Page } from '../../components/Page'
import { useT } from '../../i18n/useT'
import type { RouteHandle } from '../../router/entry'
import { Blueprint } from './Blueprint'
import styles from './PlaceholderPage.module.css'

/** Stands in for a screen that is still to be built, and says so. */
export default function PlaceholderPage() {
  const t = useT()
  const handle = useMatches().at(-1)?.handle as RouteHandle | undefined
  if (!handle?.title || !handle.holds) return null
  return (
    <Page title={t(handle.title)}>
      <div className={styles.card}>
        <Blueprint />
        <p className={styles.status}>{t('later.status')}</p>
        <p className={styles.holds}>{t(handle.holds)}</p>
      </div>
    </Page>
  )
}
