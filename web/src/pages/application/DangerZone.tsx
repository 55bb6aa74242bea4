/**
 * Archiving and deleting an app. Both can be undone: archiving at any time, deleting for a limited
 * time.
 */
import { useQuery } from '@tanstack/react-query'
import { Button } from 'antd'
import { useState } from 'react'
import { appImpactQuery, archiveApp, deleteApp, type App, type AppImpact } from '../../api/app'
import { DangerDialog } from '../../components/DangerDialog'
import { FormNotice } from '../../components/form/FormNotice'
import { Panel } from '../../components/Panel'
import { useT } from '../../i18n/useT'
import { useApp, useAppChanged, useWatched } from '../../session/app'
import styles from './detail.module.css'

type EndAction = 'archive' | 'delete'

export function DangerZone() {
  const t = useT()
  const { app, may, mayChange } = useApp()
  const changed = useAppChanged()
  const [asking, setAsking] = useState<EndAction | null>(null)
  const [done, setDone] = useState<EndAction | null>(null)
  const archives = mayChange('app:archive')
  const deletes = may('app:delete') && app.status !== 'deleted'
  // Stays after an action, to announce it here.
  if (!archives && !deletes && !done) return null

  return (
    <Panel title={t('appDetail.danger')}>
      <FormNotice>
        {done && app.status !== 'active' && t(`apps.${done}.done`, { name: app.name })}
      </FormNotice>
      {archives && <Row action="archive" onStart={setAsking} />}
      {deletes && <Row action="delete" onStart={setAsking} />}
      {asking && (
        <EndAppDialog
          action={asking}
          app={app}
          onCancel={() => setAsking(null)}
          onDone={(answer) => {
            changed(answer)
            setDone(asking)
            setAsking(null)
          }}
        />
      )}
    </Panel>
  )
}

function Row({ action, onStart }: { action: EndAction; onStart: (action: EndAction) => void }) {
  const t = useT()
  return (
    <div className={styles.action}>
      <div>
        <h3>{t(`appDetail.${action}.title`)}</h3>
        <p>{t(`apps.${action}.text`)}</p>
      </div>
      <Button danger onClick={() => onStart(action)}>
        {t(`appDetail.${action}.title`)}
      </Button>
    </div>
  )
}

interface EndAppDialogProps {
  action: EndAction
  app: App
  onDone: (changed: App) => void
  onCancel: () => void
}

function EndAppDialog({ action, app, onDone, onCancel }: EndAppDialogProps) {
  const t = useT()
  const watched = useWatched()
  const impact = useQuery(appImpactQuery(app.id))
  const hits = ({ members, live_keys, events_24h }: AppImpact) => [
    { label: t('apps.hit.members'), count: members },
    { label: t('apps.hit.keys'), count: live_keys },
    { label: t('apps.hit.events'), count: events_24h },
  ]
  return (
    <DangerDialog
      title={t(`apps.${action}.title`, { name: app.name })}
      confirm={t(`apps.${action}.confirm`)}
      name={action === 'delete' ? app.name : undefined}
      impact={impact}
      hits={hits}
      send={(typed) => watched(action === 'delete' ? deleteApp(app.id, typed) : archiveApp(app.id))}
      onDone={onDone}
      onCancel={onCancel}
    >
      <p>{t(`apps.${action}.text`)}</p>
    </DangerDialog>
  )
}
