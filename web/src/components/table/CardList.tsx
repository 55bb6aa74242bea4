import { Button, Checkbox, Select } from 'antd'
import { useState } from 'react'
import { useT } from '../../i18n/useT'
import { besideField } from '../form/TimezoneSelect'
import type { Column } from './columns'
import type { RowListProps } from './WideTable'
import styles from './DataTable.module.css'

/** The same rows without room for columns: each value has its heading beside it. */
export function CardList<Row extends object>(props: RowListProps<Row>) {
  return (
    <>
      <SortChoice {...props} />
      <ul className={styles.cards} aria-label={props.label}>
        {props.rows.map((row) => (
          <Card key={props.rowKey(row)} row={row} list={props} />
        ))}
      </ul>
    </>
  )
}

/** Replaces the sortable headings. */
function SortChoice<Row extends object>({ columns, sort, order, onSort }: RowListProps<Row>) {
  const t = useT()
  const sorted = columns.filter((column) => column.sorts)
  if (sorted.length === 0) return null
  return (
    <Select
      className={styles.sort}
      aria-label={t('table.sort')}
      placeholder={t('table.sort')}
      allowClear
      value={sort && `${sort} ${order}`}
      getPopupContainer={besideField}
      options={sorted.flatMap(({ key, title }) => [
        { value: `${key} asc`, label: t('table.ascending', { title }) },
        { value: `${key} desc`, label: t('table.descending', { title }) },
      ])}
      onChange={(chosen?: string) => {
        const [by, direction] = chosen?.split(' ') ?? []
        onSort(by, direction as 'asc' | 'desc' | undefined)
      }}
    />
  )
}

function Card<Row extends object>({ row, list }: { row: Row; list: RowListProps<Row> }) {
  const { columns, rowKey, selected, onSelect, isFixed, details, detailsLabel } = list
  const t = useT()
  const [open, setOpen] = useState(false)
  const key = rowKey(row)
  const facts = columns.filter((column) => !column.heads && !column.actions)
  return (
    <li className={styles.card}>
      <div className={styles.cardHead}>
        {onSelect && (
          <Checkbox
            aria-label={t('table.choose')}
            checked={selected?.includes(key)}
            disabled={isFixed?.(row)}
            onChange={({ target }) => {
              const others = selected?.filter((other) => other !== key) ?? []
              onSelect(target.checked ? [...others, key] : others)
            }}
          />
        )}
        {columns.filter((column) => column.heads).map((column) => part(column, row))}
        {columns.filter((column) => column.actions).map((column) => part(column, row))}
      </div>
      <dl className={styles.facts}>
        {facts.map((column) => (
          <div key={column.key} className={column.long ? undefined : styles.fact}>
            <dt>{column.title}</dt>
            <dd>{column.render(row)}</dd>
          </div>
        ))}
      </dl>
      {details && (
        <div>
          <Button
            size="small"
            aria-expanded={open}
            aria-label={detailsLabel?.(row)}
            onClick={() => setOpen(!open)}
          >
            {t('table.details')}
          </Button>
        </div>
      )}
      {open && details?.(row)}
    </li>
  )
}

const part = <Row,>(column: Column<Row>, row: Row) => (
  <div key={column.key} className={column.heads ? styles.heading : undefined}>
    {column.render(row)}
  </div>
)
