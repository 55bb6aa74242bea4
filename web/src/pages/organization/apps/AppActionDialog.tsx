/** Before an app is archived, deleted, or restored: its members, active keys, and traffic. */
import { useQuery } from '@tanstack/react-query'
import { appImpactQuery, type AppImpact } from '../../../api/app'
import type { App } from '../../../api/apps'
import { DangerDialog } from '../../../components/DangerDialog'
import { useT } from '../../../i18n/useT'
import { APP_ACTIONS, type AppAction } from './appActions'

interface AppActionDialogProps {
  action: AppAction
  app: App
  onDone: (app: App) => void
  onCancel: () => void
}

export function AppActionDialog({ action, app, onDone, onCancel }: AppActionDialogProps) {
  const t = useT()
  const impact = useQuery(appImpactQuery(app.id))
  const { danger, typed, send } = APP_ACTIONS[action]
  return (
    <DangerDialog<AppImpact, App>
      title={t(`apps.${action}.title`, { name: app.name })}
      confirm={t(`apps.${action}.confirm`)}
      harmless={!danger}
      name={typed ? app.name : undefined}
      impact={impact}
      hits={({ members, live_keys, events_24h }) => [
        { label: t('apps.hit.members'), count: members },
        { label: t('apps.hit.keys'), count: live_keys },
        { label: t('apps.hit.events'), count: events_24h },
      ]}
      send={(name) => send(app, name)}
      onDone={onDone}
      onCancel={onCancel}
    >
      <p>{t(`apps.${action}.text`)}</p>
    </DangerDialog>
  )
}
