/** Who did what in the team, when and from where. */
import { useQuery } from '@tanstack/react-query'
import { auditQuery, type AuditEntry } from '../../../api/audit'
import type { Org } from '../../../api/orgs'
import { Page } from '../../../components/Page'
import type { Column } from '../../../components/table/columns'
import { UNKNOWN } from '../../../components/table/Counted'
import { DataTable } from '../../../components/table/DataTable'
import { EmptyFace } from '../../../components/table/EmptyFace'
import { useTableParams } from '../../../components/table/useTableParams'
import { Moment } from '../../../components/Moment'
import { useLanguageStore, type Translate } from '../../../i18n/store'
import { useT } from '../../../i18n/useT'
import { useOrg, useOrgMay } from '../../../session/org'
import { useUser } from '../../../session/useUser'
import { Refused } from '../../../components/Refused'
import { AuditFilterBar } from './AuditFilterBar'
import { EntryDetails } from './EntryDetails'
import { AUDIT_FILTERS, filtersFor } from './filters'
import styles from '../organization.module.css'

const CHOICES = { filters: AUDIT_FILTERS }

export default function AuditPage() {
  const may = useOrgMay('org_audit:view')
  return may ? <AuditLog /> : <Refused />
}

function AuditLog() {
  const t = useT()
  const org = useOrg()
  const language = useLanguageStore((state) => state.currentLang)
  const zone = useUser()?.timezone ?? 'UTC'
  const [params, setParams] = useTableParams(CHOICES)
  const filters = filtersFor(params, zone)
  const { page, page_size } = params
  const entries = useQuery(auditQuery(org.id, { page, page_size, ...filters }, language))
  return (
    <Page title={t('title.teamAudit')} lead={t('audit.lead')}>
      <AuditFilterBar params={params} filters={filters} onChange={setParams} />
      <DataTable
        label={t('title.teamAudit')}
        query={entries}
        params={{ page, page_size }}
        onChange={setParams}
        filtered={AUDIT_FILTERS.some((name) => params[name] !== undefined)}
        onClear={() =>
          setParams({ actor: undefined, action: undefined, from: undefined, to: undefined })
        }
        rowKey={(entry) => entry.id}
        columns={columns(t, org)}
        details={(entry) => <EntryDetails entry={entry} />}
        detailsLabel={(entry) => t('audit.detailsOf', { action: entry.action_name })}
        empty={<EmptyFace title={t('audit.none')}>{t('audit.noneText')}</EmptyFace>}
      />
    </Page>
  )
}

function columns(t: Translate, org: Org): Column<AuditEntry>[] {
  return [
    { key: 'at', title: t('audit.at'), render: ({ at }) => <Moment at={at} /> },
    {
      key: 'actor',
      title: t('audit.actor'),
      render: ({ actor }) =>
        actor.kind === 'user' ? (
          <span className={styles.who}>
            <span>{actor.name ?? t('audit.gone')}</span>
            <span className={styles.soft}>{actor.email}</span>
          </span>
        ) : (
          t(`audit.actor.${actor.kind as 'key' | 'operator' | 'system' | 'anonymous'}`)
        ),
    },
    { key: 'action', title: t('audit.action'), heads: true, render: (entry) => entry.action_name },
    {
      key: 'target',
      title: t('audit.target'),
      // The team itself is known by name here, whatever the entry says.
      render: ({ target }) =>
        target.name ?? (target.id === org.id ? org.name : (target.id ?? UNKNOWN)),
    },
    { key: 'ip', title: t('sessions.ip'), render: ({ ip }) => ip ?? UNKNOWN },
  ]
}
