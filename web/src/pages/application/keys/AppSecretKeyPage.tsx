/** An app's keys: what each is for, who uses it, and how to replace it without an outage. */
import { UnsavedGuard } from '../../../components/form/unsaved'
import { Page } from '../../../components/Page'
import { useT } from '../../../i18n/useT'
import { useApp } from '../../../session/app'
import { Allowed } from '../Allowed'
import { AccessKeys } from './AccessKeys'
import { ApiKeys } from './ApiKeys'
import styles from './keys.module.css'

export default function AppSecretKeyPage() {
  const t = useT()
  return (
    <Allowed to="key:view">
      <Page wide title={t('title.appSecretKey')} lead={t('keys.lead')}>
        <Limits />
        {/* A secret on screen is shown only once. */}
        <UnsavedGuard title={t('keys.leaveTitle')} text={t('keys.leaveText')}>
          <ApiKeys />
          <AccessKeys />
        </UnsavedGuard>
      </Page>
    </Allowed>
  )
}

/** Why some or all buttons are missing. The frame explains read-only apps. */
function Limits() {
  const t = useT()
  const { app, may } = useApp()
  if (app.status !== 'active') return null
  if (!may('key:manage')) return <p className={styles.limits}>{t('keys.readOnly')}</p>
  return may('key:reveal') ? null : <p className={styles.limits}>{t('keys.noReveal')}</p>
}
