/** IDs as people paste or upload them: one per line, or the first column of a table. */

export const MOST_IDS = 10_000

const HEADINGS = /^(user|device|distinct)?[_ ]?id$/i

/** Deduplicated, in order, without a table header. */
export function readIds(text: string): string[] {
  const cells = text
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .map(firstCell)
  const first = cells.findIndex((cell) => cell !== '')
  const rows = HEADINGS.test(cells[first] ?? '') ? cells.slice(first + 1) : cells
  return [...new Set(rows.filter((cell) => cell !== ''))]
}

function firstCell(line: string): string {
  const quoted = /^\s*"((?:[^"]|"")*)"/.exec(line)
  const cell = quoted ? quoted[1]!.replaceAll('""', '"') : line.split(/[,\t]/, 1)[0]!
  return cell.trim()
}
