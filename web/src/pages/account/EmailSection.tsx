import { useState } from 'react'
import { useForm } from 'react-hook-form'
import type { User } from '../../api/account'
import { changeEmail } from '../../api/security'
import { EmailField } from '../../components/form/EmailField'
import { FormError } from '../../components/form/FormError'
import { FormNotice } from '../../components/form/FormNotice'
import { SubmitButton } from '../../components/form/SubmitButton'
import { useUnsaved } from '../../components/form/unsaved'
import { useSubmit } from '../../components/form/useSubmit'
import { MailHint } from '../../components/MailHint'
import { ResendButton } from '../../components/ResendButton'
import { useMailT } from '../../components/useMailT'
import { useT } from '../../i18n/useT'
import { Section } from './Section'
import styles from './Section.module.css'

export function EmailSection({ user }: { user: User }) {
  const t = useT()
  const mailT = useMailT()
  const [sent, setSent] = useState<{ email: string; at: number } | null>(null)
  const form = useForm({ mode: 'onBlur', defaultValues: { email: '' } })
  useUnsaved(form.formState.isDirty)
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: async (values) => {
      const email = values.email.trim()
      await changeEmail(email)
      return email
    },
    done: (email) => {
      form.reset()
      setSent({ email, at: Date.now() })
    },
  })
  return (
    <Section name="email">
      <div className={styles.form}>
        <p className={styles.fact}>
          {t('email.current')} <strong>{user.email}</strong>
        </p>
        <FormNotice>{sent && mailT('email.sent', { email: sent.email })}</FormNotice>
        {sent && (
          <div className={styles.after}>
            <MailHint />
            {/* Each email restarts the wait. */}
            <ResendButton key={sent.at} send={() => changeEmail(sent.email)} sentAt={sent.at} />
          </div>
        )}
        <form noValidate onSubmit={onSubmit}>
          <FormError>{failure?.message}</FormError>
          <EmailField
            control={form.control}
            name="email"
            label={t('email.new')}
            hint={mailT('email.hint')}
            size="middle"
          />
          <SubmitButton sending={sending} retryAt={failure?.retryAt}>
            {mailT('email.submit')}
          </SubmitButton>
        </form>
      </div>
    </Section>
  )
}
