import { useCallback } from 'react'
import type { MessageKey, MessageParams } from '../i18n/store'
import { useT } from '../i18n/useT'
import { useEnvironment } from '../session/useEnvironment'

/**
 * Texts that promise an email, and their counterparts for when emails are saved as files on the
 * server.
 */
const WITHOUT_MAIL = {
  'sent.title': 'sent.title.noMail',
  'sent.register': 'sent.register.noMail',
  'sent.registerNext': 'sent.registerNext.noMail',
  'sent.reset': 'sent.reset.noMail',
  'sent.resetNext': 'sent.resetNext.noMail',
  'sent.somewhere': 'sent.somewhere.noMail',
  'sent.missing': 'sent.missing.noMail',
  'email.hint': 'email.hint.noMail',
  'email.sent': 'email.sent.noMail',
  'email.submit': 'email.submit.noMail',
  'resend.again': 'resend.again.noMail',
  'resend.sent': 'resend.sent.noMail',
  'resend.wait': 'resend.wait.noMail',
  'code.sentTo': 'code.sentTo.noMail',
  'register.lead': 'register.lead.noMail',
  'register.submit': 'register.submit.noMail',
  'register.closedText': 'register.closedText.noMail',
  'forget.lead': 'forget.lead.noMail',
  'forget.submit': 'forget.submit.noMail',
  'invite.sent': 'invite.sent.noMail',
  'invite.submit': 'invite.submit.noMail',
  'invitations.resent': 'invitations.resent.noMail',
  'invitations.revokeText': 'invitations.revokeText.noMail',
} satisfies Partial<Record<MessageKey, MessageKey>>

type MailKey = keyof typeof WITHOUT_MAIL

/** Whether emails are saved as files on the server; assumed false if unknown. */
export function useNoMail(): boolean {
  return useEnvironment()?.mail_configured === false
}

export function useMailT(): (key: MailKey, params?: MessageParams) => string {
  const t = useT()
  const noMail = useNoMail()
  return useCallback((key, params) => t(noMail ? WITHOUT_MAIL[key] : key, params), [t, noMail])
}
