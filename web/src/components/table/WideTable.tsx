import { Table, type TableProps } from 'antd'
import type { SorterResult } from 'antd/es/table/interface'
import type { Column } from './columns'
import { useT } from '../../i18n/useT'
import styles from './DataTable.module.css'

export interface RowListProps<Row extends object> {
  label: string
  rows: Row[]
  columns: Column<Row>[]
  rowKey: (row: Row) => string
  sort?: string
  order?: 'asc' | 'desc'
  onSort: (sort: string | undefined, order: 'asc' | 'desc' | undefined) => void
  /** Row details, shown when it is expanded. */
  details?: (row: Row) => React.ReactNode
  /** The label of the expand button. */
  detailsLabel?: (row: Row) => string
  selected?: string[]
  onSelect?: (keys: string[]) => void
  /** Rows that can't be selected. */
  isFixed?: (row: Row) => boolean
}

export function WideTable<Row extends object>(props: RowListProps<Row>) {
  const { rows, columns, rowKey, sort, order, onSort, onSelect, isFixed } = props
  const t = useT()
  const onChange: TableProps<Row>['onChange'] = (_pages, _filters, sorter) => {
    const { columnKey, order: direction } = sorter as SorterResult<Row>
    if (direction) onSort(String(columnKey), direction === 'descend' ? 'desc' : 'asc')
    else onSort(undefined, undefined)
  }
  return (
    <Table<Row>
      aria-label={props.label}
      className={styles.table}
      size="middle"
      dataSource={rows}
      rowKey={rowKey}
      pagination={false}
      showSorterTooltip={false}
      onChange={onChange}
      columns={columns.map((column) => ({
        key: column.key,
        title: column.actions ? (
          <span className="visually-hidden">{column.title}</span>
        ) : (
          column.title
        ),
        width: column.width,
        align: column.numeric || column.actions ? ('end' as const) : undefined,
        rowScope: column.heads ? ('row' as const) : undefined,
        // The server sorts; the table only shows the state.
        sorter: column.sorts ?? false,
        sortDirections: column.largestFirst ? ['descend', 'ascend'] : undefined,
        sortOrder:
          column.sorts && sort === column.key ? (order === 'desc' ? 'descend' : 'ascend') : null,
        render: (_: unknown, row: Row) => column.render(row),
      }))}
      expandable={props.details && expandable(props, t('table.details'))}
      rowSelection={
        onSelect && {
          selectedRowKeys: props.selected,
          onChange: (keys) => onSelect(keys.map(String)),
          getCheckboxProps: (row) => ({
            disabled: isFixed?.(row),
            'aria-label': t('table.choose'),
          }),
        }
      }
    />
  )
}

function expandable<Row extends object>(
  { details, detailsLabel }: RowListProps<Row>,
  label: string,
): TableProps<Row>['expandable'] {
  return {
    columnTitle: <span className="visually-hidden">{label}</span>,
    expandedRowRender: (row) => details!(row),
    expandIcon: ({ expanded, onExpand, record }) => (
      <button
        type="button"
        className={styles.expand}
        aria-expanded={expanded}
        aria-label={detailsLabel?.(record) ?? label}
        onClick={(event) => onExpand(record, event)}
      />
    ),
  }
}
