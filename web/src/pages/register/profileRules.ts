/** What can be told before the server is asked. It has the last word on all of it. */
import type { Translate } from '../../i18n/store'

const PASSWORD_LENGTH = { min: 8, max: 128 }

export function profileRules(t: Translate) {
  const passwordHint = t('field.password.rule', PASSWORD_LENGTH)
  const filled = (message: string) => (value: string) => value.trim() !== '' || message
  return {
    email: {
      validate: {
        filled: filled(t('field.email.required')),
        // Only what is certainly wrong.
        shape: (value: string) =>
          /^[^\s@]+@[^\s@]+$/.test(value.trim()) || t('field.email.invalid'),
      },
    },
    name: { validate: filled(t('field.name.required')) },
    password: {
      required: t('field.password.required'),
      // Characters as a person counts them, and as the server does.
      validate: (value: string) => fits([...value].length) || passwordHint,
    },
    passwordHint,
    team: { validate: filled(t('field.team.required')) },
  }
}

function fits(length: number): boolean {
  return length >= PASSWORD_LENGTH.min && length <= PASSWORD_LENGTH.max
}
