/** Announces a newer console, and loads it when the user is ready. */
import { useState } from 'react'
import { useT } from '../../i18n/useT'
import { browser } from '../../lib/navigation'
import { useEnvironment } from '../../session/useEnvironment'
import { useCurrentUser } from '../../session/useCurrentUser'
import { PRODUCT } from '../documentTitle'
import { FloatingWindow } from '../floating/FloatingWindow'
import { useNewBuild } from './useNewBuild'
import styles from './VersionTip.module.css'

export function VersionTip() {
  const t = useT()
  const environment = useEnvironment()
  const user = useCurrentUser()
  const watches = user !== undefined && environment?.environment.includes('production') === true
  const build = useNewBuild(watches ? environment.build_version : null)
  const [dismissed, setDismissed] = useState<string | null>(null)

  if (!user || !build || build.build_version === dismissed) return null
  return (
    <FloatingWindow
      title={`${PRODUCT}(${user.email})`}
      onClose={() => setDismissed(build.build_version)}
    >
      <div role="status" className={styles.text} tabIndex={0}>
        <p>{t('version.news', { version: build.build_version })}</p>
        {build.build_message && <p className={styles.message}>{build.build_message}</p>}
      </div>
      <button type="button" className={styles.refresh} onClick={() => browser.reload()}>
        {t('version.refresh')}
      </button>
    </FloatingWindow>
  )
}
