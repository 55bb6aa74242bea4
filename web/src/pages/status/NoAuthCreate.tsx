import { Button } from 'antd'
import { useState } from 'react'
import { createOrg } from '../../api/orgs'
import { browserZone } from '../../components/form/zones'
import { TeamNameDialog } from '../../components/teams/TeamNameDialog'
import { useT } from '../../i18n/useT'
import styles from './NoAuthPage.module.css'

/** People without a team can create their own. */
export function NoAuthCreate({ onCreated }: { onCreated: () => void }) {
  const t = useT()
  const [asking, setAsking] = useState(false)
  return (
    <section aria-labelledby="create-title">
      <h2 id="create-title" className={styles.title}>
        {t('noAuth.create')}
      </h2>
      <p className={styles.soft}>{t('orgs.createHint')}</p>
      <Button className={styles.button} onClick={() => setAsking(true)}>
        {t('orgs.create')}
      </Button>
      {asking && (
        <TeamNameDialog
          title={t('orgs.create')}
          submit={t('orgs.create')}
          hint={t('orgs.createHint')}
          save={(name) => createOrg({ name, timezone: browserZone() })}
          onDone={() => {
            setAsking(false)
            onCreated()
          }}
          onCancel={() => setAsking(false)}
        />
      )}
    </section>
  )
}
