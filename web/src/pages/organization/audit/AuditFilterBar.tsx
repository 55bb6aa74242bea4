import { Select } from 'antd'
import type { AuditFilters } from '../../../api/audit'
import { TextInput } from '../../../components/form/TextInput'
import { besideField } from '../../../components/form/TimezoneSelect'
import { SearchBox } from '../../../components/table/SearchBox'
import { Toolbar } from '../../../components/table/Toolbar'
import type { ChangeParams, TableParams } from '../../../components/table/useTableParams'
import { useT } from '../../../i18n/useT'
import { ExportButtons } from './ExportButtons'
import type { AuditFilter } from './filters'
import { ACTION_GROUPS } from './groups'
import page from '../organization.module.css'
import styles from './audit.module.css'

interface AuditFilterBarProps {
  params: TableParams<AuditFilter>
  filters: AuditFilters
  onChange: ChangeParams<AuditFilter>
}

export function AuditFilterBar({ params, filters, onChange }: AuditFilterBarProps) {
  const t = useT()
  return (
    <Toolbar actions={<ExportButtons filters={filters} />}>
      <SearchBox
        className={page.search}
        label={t('audit.byActor')}
        value={params.actor}
        onSearch={(actor) => onChange({ actor })}
      />
      <Select
        className={page.filter}
        aria-label={t('audit.byAction')}
        allowClear
        placeholder={t('audit.anyAction')}
        value={ACTION_GROUPS.find((group) => group === params.action)}
        getPopupContainer={besideField}
        options={ACTION_GROUPS.map((value) => ({ value, label: t(`audit.group.${value}`) }))}
        onChange={(action?: string) => onChange({ action })}
      />
      <Day
        label={t('audit.from')}
        value={params.from}
        max={params.to}
        onChange={(from) => onChange({ from })}
      />
      <Day
        label={t('audit.to')}
        value={params.to}
        min={params.from}
        onChange={(to) => onChange({ to })}
      />
    </Toolbar>
  )
}

interface DayProps {
  label: string
  value: string | undefined
  min?: string
  max?: string
  onChange: (day: string | undefined) => void
}

/** The browser's own: it speaks the person's language and every assistive technology knows it. */
function Day({ label, value = '', min, max, onChange }: DayProps) {
  return (
    <label className={styles.day}>
      <span>{label}</span>
      <TextInput
        type="date"
        value={value}
        min={min}
        max={max}
        onChange={({ target }) => onChange(target.value || undefined)}
      />
    </label>
  )
}
