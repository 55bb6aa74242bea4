/** Before an app is archived, deleted or brought back: its people, live keys and traffic. */
import { useQuery } from '@tanstack/react-query'
import { appImpactQuery, type AppImpact } from '../../../api/app'
import type { App } from '../../../api/apps'
import { DangerDialog } from '../../../components/DangerDialog'
import { useT } from '../../../i18n/useT'
import { DEEDS, type Deed } from './deeds'

interface DeedDialogProps {
  deed: Deed
  app: App
  onDone: (app: App) => void
  onCancel: () => void
}

export function DeedDialog({ deed, app, onDone, onCancel }: DeedDialogProps) {
  const t = useT()
  const impact = useQuery(appImpactQuery(app.id))
  const { danger, typed, send } = DEEDS[deed]
  return (
    <DangerDialog<AppImpact, App>
      title={t(`apps.${deed}.title`, { name: app.name })}
      confirm={t(`apps.${deed}.confirm`)}
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
      <p>{t(`apps.${deed}.text`)}</p>
    </DangerDialog>
  )
}
