/** One column of a list: a heading, and what each row shows under it. */
export interface Column<Row> {
  /** Also the name that the server sorts by, where `sorts` says so. */
  key: string
  title: string
  render: (row: Row) => React.ReactNode
  sorts?: boolean
  /** Whoever sorts by it looks for the most, so that comes with the first press. */
  largestFirst?: boolean
  /** Numbers line up at their end. */
  numeric?: boolean
  /** What the row is called: it heads the card, and the row for a screen reader. */
  heads?: boolean
  /** Buttons: the heading is for screen readers only. */
  actions?: boolean
  /** Takes the whole width of a card, below its heading. */
  long?: boolean
  width?: number | string
}

export interface Rows<Row> {
  items: Row[]
  total: number
}
