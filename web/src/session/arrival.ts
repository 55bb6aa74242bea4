const NOTICES = ['passwordReset', 'accountDeleted'] as const
export type ArrivalNotice = (typeof NOTICES)[number]

/**
 * What one page of signing in hands to the next. It travels in the history's state: an address in
 * the page's own address would end up in logs.
 */
export interface Arrival {
  email?: string
  notice?: ArrivalNotice
  /** When the last mail was asked for (ms). */
  sentAt?: number
}

/** The state may be of an older version of the console, or of nobody. */
export function readArrival(state: unknown): Arrival {
  if (typeof state !== 'object' || state === null) return {}
  const { email, notice, sentAt } = state as Record<string, unknown>
  return {
    email: typeof email === 'string' ? email : undefined,
    notice: NOTICES.find((known) => known === notice),
    sentAt: typeof sentAt === 'number' ? sentAt : undefined,
  }
}
