/** What can be told before the server is asked. It has the last word on all of it. */
import type { Translate } from '../../i18n/store'

export const PASSWORD_LENGTH = { min: 8, max: 128 }

export function filled(message: string) {
  return { validate: (value: string) => value.trim() !== '' || message }
}

export function emailRule(t: Translate) {
  return {
    validate: {
      filled: filled(t('field.email.required')).validate,
      // Only what is certainly wrong.
      shape: (value: string) => /^[^\s@]+@[^\s@]+$/.test(value.trim()) || t('field.email.invalid'),
    },
  }
}

export function passwordRule(t: Translate) {
  return {
    required: t('field.password.required'),
    // Characters as a person counts them, and as the server does.
    validate: (value: string) =>
      fits([...value].length) || t('field.password.rule', PASSWORD_LENGTH),
  }
}

function fits(length: number): boolean {
  return length >= PASSWORD_LENGTH.min && length <= PASSWORD_LENGTH.max
}
