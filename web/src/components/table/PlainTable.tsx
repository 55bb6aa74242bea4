import { CardList } from './CardList'
import { useIsNarrow } from './useIsNarrow'
import { WideTable, type RowListProps } from './WideTable'

type PlainTableProps<Row extends object> = Pick<
  RowListProps<Row>,
  'label' | 'rows' | 'columns' | 'rowKey'
>

/** A fully loaded list: a table if there is room, cards on a phone. */
export function PlainTable<Row extends object>(props: PlainTableProps<Row>) {
  const List = useIsNarrow() ? CardList : WideTable
  return <List {...props} onSort={unsorted} />
}

const unsorted = () => {}
