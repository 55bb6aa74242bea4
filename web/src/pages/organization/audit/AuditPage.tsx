/** Who did what in the team, when, and from where. */
import { AuditLog } from '../../../components/audit/AuditLog'
import { Refused } from '../../../components/Refused'
import { useT } from '../../../i18n/useT'
import { useOrg, useOrgMay } from '../../../session/org'

export default function AuditPage() {
  const may = useOrgMay('org_audit:view')
  return may ? <TeamAudit /> : <Refused />
}

function TeamAudit() {
  const t = useT()
  const { id, name } = useOrg()
  // A team's log and its download are one permission; an app's are two.
  return (
    <AuditLog
      scope={{ kind: 'org', id, name }}
      title={t('title.teamAudit')}
      lead={t('audit.lead')}
      mayExport
    />
  )
}
