import { Select } from 'antd'
import { useId } from 'react'
import type { AuditScope } from '../../api/audit'
import { DayInput } from '../form/DayInput'
import { besideField } from '../form/TimezoneSelect'
import { SearchBox } from '../table/SearchBox'
import { Toolbar } from '../table/Toolbar'
import type { ChangeParams, TableParams } from '../table/useTableParams'
import { useT } from '../../i18n/useT'
import type { AuditFilter } from './filters'
import { groupsOf } from './groups'
import styles from './audit.module.css'

interface AuditFilterBarProps {
  scope: AuditScope
  params: TableParams<AuditFilter>
  onChange: ChangeParams<AuditFilter>
  /** Actions for the list, e.g. download. */
  actions: React.ReactNode
}

export function AuditFilterBar({ scope, params, onChange, actions }: AuditFilterBarProps) {
  const t = useT()
  const groups = groupsOf(scope)
  return (
    <Toolbar actions={actions}>
      <SearchBox
        className={styles.search}
        label={t('audit.byActor')}
        value={params.actor}
        onSearch={(actor) => onChange({ actor })}
      />
      <Select
        className={styles.filter}
        aria-label={t('audit.byAction')}
        allowClear
        placeholder={t('audit.anyAction')}
        value={groups.find((group) => group === params.action)}
        getPopupContainer={besideField}
        options={groups.map((value) => ({ value, label: t(`audit.group.${value}`) }))}
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

function Day({ label, value = '', min, max, onChange }: DayProps) {
  const id = useId()
  return (
    <div className={styles.day}>
      <label htmlFor={id}>{label}</label>
      <DayInput
        id={id}
        value={value}
        min={min}
        max={max}
        allowClear
        onChange={(day) => onChange(day || undefined)}
      />
    </div>
  )
}
