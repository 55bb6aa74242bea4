import { useParams } from 'react-router'
import { LinkButton } from '../../components/LinkButton'
import { Page } from '../../components/Page'
import { useT } from '../../i18n/useT'
import { paths } from '../../paths'
import styles from './WorkspacePage.module.css'

/** The application entry where Atrium itself is the region's endpoint. */
export default function WorkspacePage() {
  const t = useT()
  const { orgId = '', appId = '' } = useParams()
  return (
    <Page title={t('title.workspace')} lead={t('workspace.lead')}>
      <div className={styles.card}>
        <dl className={styles.facts}>
          <dt>{t('workspace.app')}</dt>
          <dd>{appId}</dd>
          <dt>{t('workspace.team')}</dt>
          <dd>{orgId}</dd>
        </dl>
        <p className={styles.note}>{t('workspace.later')}</p>
        <div className={styles.actions}>
          <LinkButton to={paths.appDetail(appId)}>{t('nav.appSettings')}</LinkButton>
          <LinkButton to={paths.teamApps({ org: orgId })}>{t('title.teamApps')}</LinkButton>
        </div>
      </div>
    </Page>
  )
}
