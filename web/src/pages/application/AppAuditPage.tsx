/** Who did what in the app, when, and from where. */
import { AuditLog } from '../../components/audit/AuditLog'
import { useT } from '../../i18n/useT'
import { useApp } from '../../session/app'
import { Allowed } from './Allowed'

export default function AppAuditPage() {
  const t = useT()
  const { app, may } = useApp()
  return (
    <Allowed to="audit:view">
      <AuditLog
        scope={{ kind: 'app', id: app.id, name: app.name }}
        title={t('title.appAudit')}
        lead={t('audit.appLead')}
        mayExport={may('audit:export')}
      />
    </Allowed>
  )
}
