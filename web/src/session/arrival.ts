const NOTICES = ['passwordReset', 'accountDeleted'] as const
export type ArrivalNotice = (typeof NOTICES)[number]

/**
 * What one sign-in page passes to the next. Kept in the history state, because an email address in
 * the URL would end up in logs.
 */
export interface Arrival {
  email?: string
  notice?: ArrivalNotice
  /** When the last email was requested (ms). */
  sentAt?: number
}

/** The state may come from an older console version, or be missing. */
export function readArrival(state: unknown): Arrival {
  if (typeof state !== 'object' || state === null) return {}
  const { email, notice, sentAt } = state as Record<string, unknown>
  return {
    email: typeof email === 'string' ? email : undefined,
    notice: NOTICES.find((known) => known === notice),
    sentAt: typeof sentAt === 'number' ? sentAt : undefined,
  }
}
