import type { Translate } from '../../i18n/store'

export const RETENTION_DAYS = { min: 1, max: 3650 }

export function readDays(text: string): number | null {
  const days = /^\d{1,4}$/.test(text.trim()) ? Number(text) : Number.NaN
  return days >= RETENTION_DAYS.min && days <= RETENTION_DAYS.max ? days : null
}

export function retentionRule(t: Translate) {
  return {
    validate: (text: string) =>
      readDays(text) !== null || t('setting.retentionRule', RETENTION_DAYS),
  }
}
