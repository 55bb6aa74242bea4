/** Signing in with a six-digit code from an email: first the address, then the code. */
import { Button } from 'antd'
import { useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { sendSignInCode, signInByCode } from '../../api/account'
import { CODE_LENGTH, CodeInput } from '../../components/form/CodeInput'
import { EmailField } from '../../components/form/EmailField'
import { Field } from '../../components/form/Field'
import { FormError } from '../../components/form/FormError'
import { SubmitButton } from '../../components/form/SubmitButton'
import { useSubmit } from '../../components/form/useSubmit'
import { MailHint } from '../../components/MailHint'
import { ResendButton } from '../../components/ResendButton'
import { useT } from '../../i18n/useT'
import { useMailT } from '../../components/useMailT'
import { proceed, withRegions, type SignInCourse } from '../../session/arrive'
import type { SignInFormProps } from './PasswordSignIn'
import styles from './login.module.css'

interface Sent {
  email: string
  /** Null if the email was requested earlier and the time is unknown. */
  at: number | null
}

export function CodeSignIn(props: SignInFormProps) {
  const [sent, setSent] = useState<Sent | null>(null)
  return sent ? (
    <CodeStep
      search={props.search}
      onSecondStep={props.onSecondStep}
      sent={sent}
      onBack={() => setSent(null)}
    />
  ) : (
    <AddressStep {...props} onSent={setSent} />
  )
}

function AddressStep(props: SignInFormProps & { onSent: (sent: Sent) => void }) {
  const { address = '', onAddress, autoFocus, passkeys, onSent } = props
  const t = useT()
  const form = useForm({ mode: 'onBlur', defaultValues: { email: address } })
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: async (values) => {
      const email = values.email.trim()
      await sendSignInCode(email)
      return email
    },
    done: (email) => onSent({ email, at: Date.now() }),
  })
  return (
    <form noValidate onSubmit={onSubmit}>
      <FormError>{failure?.message}</FormError>
      <EmailField
        control={form.control}
        name="email"
        hint={t('code.hint')}
        onType={onAddress}
        passkeys={passkeys}
        autoFocus={autoFocus}
      />
      <SubmitButton size="large" block sending={sending} retryAt={failure?.retryAt}>
        {t('code.send')}
      </SubmitButton>
      {failure?.status === 429 && (
        // Requested again too soon: the previous email has arrived, and its code is still valid.
        <Button
          className={styles.second}
          type="link"
          block
          onClick={() => onSent({ email: form.getValues('email').trim(), at: null })}
        >
          {t('code.haveOne')}
        </Button>
      )}
    </form>
  )
}

interface CodeStepProps extends SignInCourse {
  sent: Sent
  onBack: () => void
}

function CodeStep({ sent, onBack, ...course }: CodeStepProps) {
  const t = useT()
  const mailT = useMailT()
  const element = useRef<HTMLFormElement>(null)
  const form = useForm({ defaultValues: { code: '' } })
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: ({ code }) =>
      withRegions(signInByCode({ email: sent.email, code })).catch((error: unknown) => {
        // Select the wrong digits, so typing replaces them.
        element.current?.querySelector('input')?.select()
        throw error
      }),
    done: (answer) => proceed(answer, course),
  })
  return (
    <form ref={element} noValidate onSubmit={onSubmit}>
      <p className={styles.sent}>
        {mailT('code.sentTo')} <strong>{sent.email}</strong>{' '}
        <button type="button" className={styles.change} onClick={onBack}>
          {t('code.change')}
        </button>
      </p>
      <FormError>{failure?.message}</FormError>
      <Field
        control={form.control}
        name="code"
        label={t('field.code')}
        hint={t('code.where')}
        rules={{
          validate: (value) => value.length === CODE_LENGTH || t('field.code.rule'),
        }}
      >
        {(input) => (
          <CodeInput
            {...input}
            size="large"
            autoFocus
            onComplete={() => element.current?.requestSubmit()}
          />
        )}
      </Field>
      <SubmitButton size="large" block sending={sending} retryAt={failure?.retryAt}>
        {t('login.submit')}
      </SubmitButton>
      <div className={styles.second}>
        <ResendButton send={() => sendSignInCode(sent.email)} sentAt={sent.at} />
      </div>
      <div className={styles.second}>
        <MailHint />
      </div>
    </form>
  )
}
