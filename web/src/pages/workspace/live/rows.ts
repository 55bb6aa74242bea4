/** The live page's rows: the newest, and those held back while paused. */
import type { LiveMessage, Outcome } from '../../../api/live'

export const MOST_ROWS = 500

export interface LiveRow {
  /** A counter in order of arrival. */
  key: number
  message: LiveMessage
}

export interface LiveRows {
  /** Newest first. */
  shown: LiveRow[]
  /** Held back while paused, newest first. */
  held: LiveRow[]
  /** How many were held back, including discarded ones. */
  waiting: number
  paused: boolean
  /** Sent to the app but not to this viewer, whose rate is limited. */
  dropped: number
  next: number
  /** Messages already received, shown or not: a reopened stream repeats the latest. */
  known: ReadonlySet<string>
}

export const NO_ROWS: LiveRows = {
  shown: [],
  held: [],
  waiting: 0,
  paused: false,
  dropped: 0,
  next: 0,
  known: new Set(),
}

export type LiveAction =
  | { kind: 'arrived'; messages: LiveMessage[]; dropped: number }
  | { kind: 'paused' }
  | { kind: 'resumed' }
  | { kind: 'cleared' }

export function liveRows(rows: LiveRows, action: LiveAction): LiveRows {
  switch (action.kind) {
    case 'arrived': {
      const { messages, known } = withoutKnown(action.messages, rows.known)
      const came = messages.map((message, index) => ({ key: rows.next + index, message })).reverse()
      const next = rows.next + messages.length
      const dropped = rows.dropped + action.dropped
      return rows.paused
        ? {
            ...rows,
            held: newest(came, rows.held),
            waiting: rows.waiting + messages.length,
            dropped,
            next,
            known,
          }
        : { ...rows, shown: newest(came, rows.shown), dropped, next, known }
    }
    case 'paused':
      return { ...rows, paused: true }
    case 'resumed':
      return { ...rows, shown: newest(rows.held, rows.shown), held: [], waiting: 0, paused: false }
    case 'cleared':
      return { ...rows, shown: [], held: [], waiting: 0, dropped: 0 }
  }
}

/** Newest first. Late reports of earlier messages are sorted in. */
function newest(came: LiveRow[], before: LiveRow[]): LiveRow[] {
  const all = [...came, ...before]
  if (came.some(({ message }) => message.earlier)) {
    all.sort((one, other) => Date.parse(other.message.at) - Date.parse(one.message.at))
  }
  return all.slice(0, MOST_ROWS)
}

const MOST_KNOWN = 4 * MOST_ROWS

/** Drops messages known from an earlier stream. */
function withoutKnown(messages: LiveMessage[], before: ReadonlySet<string>) {
  const known = new Set(before)
  const kept = messages.filter((message) => {
    const mark = fingerprintOf(message)
    const isOld = message.earlier && known.has(mark)
    known.add(mark)
    return !isOld
  })
  const latest = [...known].slice(-MOST_KNOWN)
  return { messages: kept, known: latest.length < known.size ? new Set(latest) : known }
}

/** A rejected message has no known ID. */
function fingerprintOf({ log_id, at, outcome, reason, properties }: LiveMessage): string {
  return log_id ? `${log_id} ${outcome}` : JSON.stringify([at, reason, properties])
}

export interface LiveFilter {
  text?: string
  outcome?: Outcome
}

/** Whether the message contains every word, ignoring case. */
export function passes({ message }: LiveRow, { text, outcome }: LiveFilter): boolean {
  if (outcome && message.outcome !== outcome) return false
  const words = text?.toLowerCase().split(/\s+/).filter(Boolean) ?? []
  if (words.length === 0) return true
  const { event, type, reason, reason_name, device, user, url_path, sdk, properties } = message
  const hay = [event, type, reason, reason_name, device, user, url_path, sdk]
    .concat(properties && JSON.stringify(properties))
    .join('\n')
    .toLowerCase()
  return words.every((word) => hay.includes(word))
}
