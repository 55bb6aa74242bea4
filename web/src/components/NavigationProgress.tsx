import { useT } from '../i18n/useT'
import styles from './NavigationProgress.module.css'

/** A thin bar while the next route is on its way; the page on screen stays where it is. */
export function NavigationProgress({ busy }: { busy: boolean }) {
  const t = useT()
  return busy ? (
    <div className={styles.bar} role="progressbar" aria-label={t('common.loading')} />
  ) : null
}
