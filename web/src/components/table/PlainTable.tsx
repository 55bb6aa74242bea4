import { CardList } from './CardList'
import { useIsNarrow } from './useIsNarrow'
import { WideTable, type RowListProps } from './WideTable'

type PlainTableProps<Row extends object> = Pick<
  RowListProps<Row>,
  'label' | 'rows' | 'columns' | 'rowKey'
>

/** A list that is there as a whole: a table where there is room for one, cards on a phone. */
export function PlainTable<Row extends object>(props: PlainTableProps<Row>) {
  const List = useIsNarrow() ? CardList : WideTable
  return <List {...props} onSort={unsorted} />
}

const unsorted = () => {}
