/** A list column: a heading and each row's content. */
export interface Column<Row> {
  /** Also the server's sort key, if `sorts` is set. */
  key: string
  title: string
  render: (row: Row) => React.ReactNode
  sorts?: boolean
  /** People who sort by this look for the largest, so the first click sorts descending. */
  largestFirst?: boolean
  /** Numbers are right-aligned. */
  numeric?: boolean
  /** The row's name: the title of its card, and its header for screen readers. */
  heads?: boolean
  /** Buttons: the heading is for screen readers only. */
  actions?: boolean
  /** Spans the full width of a card, below its heading. */
  long?: boolean
  width?: number | string
}

export interface Rows<Row> {
  items: Row[]
  total: number
}
