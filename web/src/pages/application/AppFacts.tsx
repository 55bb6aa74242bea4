import type { App } from '../../api/app'
import { CopyButton } from '../../components/CopyButton'
import { Moment } from '../../components/Moment'
import { Panel } from '../../components/Panel'
import { useRegionName } from '../../components/teams/useRegionName'
import { useT } from '../../i18n/useT'
import { useApp } from '../../session/app'
import styles from './detail.module.css'

export function AppFacts() {
  const t = useT()
  const { app, mayChange } = useApp()
  const regionName = useRegionName()
  return (
    <Panel title={t('appDetail.facts')}>
      <dl className={styles.facts}>
        <Fact title={t('appDetail.id')}>
          <span className={styles.copied}>
            <code>{app.id}</code>
            <CopyButton text={app.id}>{t('appDetail.copyId')}</CopyButton>
          </span>
        </Fact>
        {/* People who may change these see them in the form above. */}
        {!mayChange('app:update') && (
          <>
            <Fact title={t('appDetail.description')}>{app.description || '—'}</Fact>
            <Fact title={t('appDetail.timezone')}>{app.timezone}</Fact>
            <Retention app={app} />
          </>
        )}
        <Fact title={t('appDetail.region')}>{regionName(app.region)}</Fact>
        <Fact title={t('appDetail.endpoint')}>
          <code>{app.endpoint}</code>
        </Fact>
        <Fact title={t('appDetail.createdBy')}>{app.created_by?.name ?? '—'}</Fact>
        <Fact title={t('appDetail.createdAt')}>
          <Moment at={app.created_at} />
        </Fact>
      </dl>
    </Panel>
  )
}

function Retention({ app: { retention_days, org_retention_days } }: { app: App }) {
  const t = useT()
  const days = retention_days ?? org_retention_days
  if (days == null) return null
  return (
    <Fact title={t('setting.retention')}>
      {t(retention_days ? 'retention.own' : 'retention.team', { days })}
    </Fact>
  )
}

function Fact({ title, children }: { title: string; children: React.ReactNode }) {
  return (
    <div className={styles.fact}>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  )
}
