/** What can be checked before asking the server, which has the last word. */
import type { Translate } from '../../i18n/store'

export const PASSWORD_LENGTH = { min: 8, max: 128 }

export function filled(message: string) {
  return { validate: (value: string) => value.trim() !== '' || message }
}

export function emailRule(t: Translate) {
  return {
    validate: {
      filled: filled(t('field.email.required')).validate,
      // Rejects only what is certainly wrong.
      shape: (value: string) => /^[^\s@]+@[^\s@]+$/.test(value.trim()) || t('field.email.invalid'),
    },
  }
}

export function passwordRule(t: Translate) {
  return {
    required: t('field.password.required'),
    // Counts characters as people perceive them, like the server.
    validate: (value: string) =>
      fits([...value].length) || t('field.password.rule', PASSWORD_LENGTH),
  }
}

function fits(length: number): boolean {
  return length >= PASSWORD_LENGTH.min && length <= PASSWORD_LENGTH.max
}
