/** Who did what, when, and from where: in a team and its apps, or in one app. */
import { useQuery } from '@tanstack/react-query'
import { auditQuery, type AuditEntry, type AuditScope } from '../../api/audit'
import { useLanguageStore, type Translate } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { useUser } from '../../session/useUser'
import { Moment } from '../Moment'
import { Page } from '../Page'
import type { Column } from '../table/columns'
import { UNKNOWN } from '../table/Counted'
import { DataTable } from '../table/DataTable'
import { EmptyFace } from '../table/EmptyFace'
import { useTableParams } from '../table/useTableParams'
import { AuditFilterBar } from './AuditFilterBar'
import { EntryDetails } from './EntryDetails'
import { ExportButtons } from './ExportButtons'
import { AUDIT_FILTERS, filtersFor } from './filters'
import styles from './audit.module.css'

const CHOICES = { filters: AUDIT_FILTERS }

interface AuditLogProps {
  scope: AuditScope
  title: string
  lead: string
  mayExport: boolean
}

export function AuditLog({ scope, title, lead, mayExport }: AuditLogProps) {
  const t = useT()
  const language = useLanguageStore((state) => state.currentLang)
  const zone = useUser()?.timezone ?? 'UTC'
  const [params, setParams] = useTableParams(CHOICES)
  const filters = filtersFor(params, zone)
  const { page, page_size } = params
  const entries = useQuery(auditQuery(scope, { page, page_size, ...filters }, language))
  return (
    <Page wide title={title} lead={lead}>
      <AuditFilterBar
        scope={scope}
        params={params}
        onChange={setParams}
        actions={mayExport && <ExportButtons scope={scope} filters={filters} />}
      />
      <DataTable
        label={title}
        query={entries}
        params={{ page, page_size }}
        onChange={setParams}
        filtered={AUDIT_FILTERS.some((name) => params[name] !== undefined)}
        onClear={() =>
          setParams({ actor: undefined, action: undefined, from: undefined, to: undefined })
        }
        rowKey={(entry) => entry.id}
        columns={columns(t, scope)}
        details={(entry) => <EntryDetails entry={entry} />}
        detailsLabel={(entry) => t('audit.detailsOf', { action: entry.action_name })}
        empty={<EmptyFace title={t('audit.none')}>{t('audit.noneText')}</EmptyFace>}
      />
    </Page>
  )
}

function columns(t: Translate, scope: AuditScope): Column<AuditEntry>[] {
  const app: Column<AuditEntry> = {
    key: 'app',
    title: t('audit.app'),
    render: ({ app_id, app_name }) => app_name ?? (app_id ? t('audit.appGone') : UNKNOWN),
  }
  return [
    { key: 'at', title: t('audit.at'), render: ({ at }) => <Moment at={at} /> },
    { key: 'actor', title: t('audit.actor'), render: ({ actor }) => actorName(actor, t) },
    { key: 'action', title: t('audit.action'), heads: true, render: (entry) => entry.action_name },
    { key: 'target', title: t('audit.target'), render: ({ target }) => targetName(target, scope) },
    // In one app's log every entry is about that app, which is named above.
    ...(scope.kind === 'org' ? [app] : []),
    { key: 'ip', title: t('sessions.ip'), render: ({ ip }) => ip ?? UNKNOWN },
  ]
}

function actorName({ kind, name, email }: AuditEntry['actor'], t: Translate) {
  if (kind !== 'user') {
    return t(`audit.actor.${kind as 'key' | 'operator' | 'system' | 'anonymous'}`)
  }
  return (
    <span className={styles.who}>
      <span>{name ?? t('audit.gone')}</span>
      <span className={styles.soft}>{email}</span>
    </span>
  )
}

/** The team or app itself is shown by its current name, whatever the entry says. */
function targetName({ name, id }: AuditEntry['target'], scope: AuditScope): string {
  return name ?? (id === scope.id ? scope.name : (id ?? UNKNOWN))
}
