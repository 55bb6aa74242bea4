import { useT } from '../i18n/useT'
import styles from './NavigationProgress.module.css'

/** A thin bar while the next route loads; the current page stays. */
export function NavigationProgress({ busy }: { busy: boolean }) {
  const t = useT()
  return busy ? (
    <div className={styles.bar} role="progressbar" aria-label={t('common.loading')} />
  ) : null
}
