import { CardList } from '../../table/CardList'
import type { Column } from '../../table/columns'
import { useIsNarrow } from '../../table/useIsNarrow'
import { Scroll } from './Scroll'
import styles from './results.module.css'

interface FigureTableProps<Row extends object> {
  label: string
  rows: Row[]
  columns: Column<Row>[]
  rowKey: (row: Row) => string
}

/** Rows with as many figures as the question has parts: on a phone, each row is a card. */
export function FigureTable<Row extends object>(props: FigureTableProps<Row>) {
  const { label, rows, columns, rowKey } = props
  if (useIsNarrow()) return <CardList {...props} onSort={unsorted} />
  return (
    <Scroll label={label}>
      <table className={styles.table} aria-label={label}>
        <thead>
          <tr>
            {columns.map(({ key, title, numeric }) => (
              <th key={key} scope="col" className={numeric ? styles.number : undefined}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map(({ key, heads, numeric, render }) =>
                heads ? (
                  <th key={key} scope="row">
                    {render(row)}
                  </th>
                ) : (
                  <td key={key} className={numeric ? styles.number : undefined}>
                    {render(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  )
}

const unsorted = () => {}
