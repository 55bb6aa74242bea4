/** Splits an entry's details into changes and other notes. */

export interface Change {
  field: string
  before: unknown
  after: unknown
}

export function changesOf(details: Record<string, unknown>): Change[] {
  const { before, after } = details
  if (!isRecord(before) && !isRecord(after)) return []
  const [old, now] = [isRecord(before) ? before : {}, isRecord(after) ? after : {}]
  const fields = [...new Set([...Object.keys(old), ...Object.keys(now)])]
  return (
    fields
      .map((field) => ({ field, before: old[field], after: now[field] }))
      // Both sides contain the full object; only the differences matter.
      .filter((change) => JSON.stringify(change.before) !== JSON.stringify(change.after))
  )
}

export function notesOf(details: Record<string, unknown>): [string, unknown][] {
  return Object.entries(details).filter(
    ([name, value]) => !((name === 'before' || name === 'after') && isRecord(value)),
  )
}

export function inWords(value: unknown): string {
  if (value === undefined || value === null || value === '') return '—'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
