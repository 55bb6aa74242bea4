import { Button } from 'antd'
import { useEffect, useRef } from 'react'
import { invitationLink, type InvitationResult } from '../../../api/invitations'
import { LinkMaker } from '../../../components/LinkMaker'
import { MailHint } from '../../../components/MailHint'
import { useMailT, useNoMail } from '../../../components/useMailT'
import { useT } from '../../../i18n/useT'
import { useOrg } from '../../../session/org'
import dialog from '../../../components/dialog.module.css'
import styles from './InviteResults.module.css'

interface InviteResultsProps {
  results: InvitationResult[]
  onMore: () => void
  onClose: () => void
}

/** The result for each address. */
export function InviteResults({ results, onMore, onClose }: InviteResultsProps) {
  const t = useT()
  const mailT = useMailT()
  const noMail = useNoMail()
  const org = useOrg()
  const sent = results.filter(({ status }) => status === 'invited').length
  const words = useRef<HTMLParagraphElement>(null)
  // The form's focused element is gone.
  useEffect(() => words.current?.focus(), [])
  return (
    <>
      <p ref={words} tabIndex={-1} role="status" className={dialog.lead}>
        {mailT('invite.sent', { count: sent })}
      </p>
      <MailHint />
      <ul className={styles.results}>
        {results.map(({ email, status, invitation }) => (
          <li key={email}>
            <span>{email}</span>
            <span className={status === 'invited' ? styles.good : styles.other}>
              {t(`invite.status.${status}`)}
            </span>
            {noMail && status === 'invited' && invitation && (
              <div className={styles.link}>
                <LinkMaker
                  label={t('link.copyFor', { email })}
                  make={() => invitationLink(org.id, invitation.id)}
                />
              </div>
            )}
          </li>
        ))}
      </ul>
      <div className={dialog.actions}>
        <Button onClick={onMore}>{t('invite.more')}</Button>
        <Button type="primary" onClick={onClose}>
          {t('recovery.done')}
        </Button>
      </div>
    </>
  )
}
