/**
 * An email is on its way, or waits on the server. Says the same whether or not the address has an
 * account.
 */
import { useLocation } from 'react-router'
import { forgetPassword, register } from '../../api/account'
import { LinkButton } from '../../components/LinkButton'
import { MailHint } from '../../components/MailHint'
import { ResendButton } from '../../components/ResendButton'
import { MessagePage } from '../../components/MessagePage'
import { useMailT } from '../../components/useMailT'
import { storedLanguage } from '../../i18n/language'
import { useT } from '../../i18n/useT'
import { parseQuery, queryText } from '../../lib/query'
import { paths, type MailPurpose } from '../../paths'
import { readArrival } from '../../session/arrival'
import styles from './EmailSentPage.module.css'

const again: Record<MailPurpose, (email: string) => Promise<unknown>> = {
  register: (email) => register({ email, locale: storedLanguage() }),
  reset: forgetPassword,
}

export default function EmailSentPage() {
  const t = useT()
  const mailT = useMailT()
  const { search, state } = useLocation() as { search: string; state: unknown }
  const arrival = readArrival(state)
  const query = parseQuery(search)
  const email = arrival.email ?? queryText(query, 'email')
  const purpose: MailPurpose = queryText(query, 'purpose') === 'reset' ? 'reset' : 'register'
  return (
    <MessagePage
      title={mailT('sent.title')}
      actions={
        <LinkButton type="link" className={styles.back} to={paths.login()}>
          {t('common.backToSignIn')}
        </LinkButton>
      }
    >
      {email ? (
        <p className={styles.text}>
          {mailT(`sent.${purpose}`)} <strong>{email}</strong>
        </p>
      ) : (
        <p>{mailT('sent.somewhere')}</p>
      )}
      <p>{mailT(`sent.${purpose}Next`)}</p>
      <MailHint />
      {email && (
        <div className={styles.resend}>
          <p>{mailT('sent.missing')}</p>
          <ResendButton send={() => again[purpose](email)} sentAt={arrival.sentAt ?? null} />
        </div>
      )}
    </MessagePage>
  )
}
