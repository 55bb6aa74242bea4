/** What the live page holds: the newest rows, and those that came while it was paused. */
import type { LiveMessage, Outcome } from '../../../api/live'

export const MOST_ROWS = 500

export interface LiveRow {
  /** Counts up as they come. */
  key: number
  message: LiveMessage
}

export interface LiveRows {
  /** Newest first. */
  shown: LiveRow[]
  /** Held back while paused, newest first. */
  held: LiveRow[]
  /** How many were held back, also those beyond what is kept. */
  waiting: number
  paused: boolean
  /** Sent to the app but not to this viewer, who gets so many a second. */
  dropped: number
  next: number
}

export const NO_ROWS: LiveRows = {
  shown: [],
  held: [],
  waiting: 0,
  paused: false,
  dropped: 0,
  next: 0,
}

export type LiveAction =
  | { kind: 'arrived'; messages: LiveMessage[]; dropped: number }
  | { kind: 'paused' }
  | { kind: 'resumed' }
  | { kind: 'cleared' }

export function liveRows(rows: LiveRows, action: LiveAction): LiveRows {
  switch (action.kind) {
    case 'arrived': {
      const { messages } = action
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
          }
        : { ...rows, shown: newest(came, rows.shown), dropped, next }
    }
    case 'paused':
      return { ...rows, paused: true }
    case 'resumed':
      return { ...rows, shown: newest(rows.held, rows.shown), held: [], waiting: 0, paused: false }
    case 'cleared':
      return { ...rows, shown: [], held: [], waiting: 0, dropped: 0 }
  }
}

const newest = (came: LiveRow[], before: LiveRow[]) => [...came, ...before].slice(0, MOST_ROWS)

export interface LiveFilter {
  text?: string
  outcome?: Outcome
}

/** Every word is somewhere in the message, whatever the case. */
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
