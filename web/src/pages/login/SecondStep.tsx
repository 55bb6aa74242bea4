/** The second step of signing in: a code from the authenticator app, or a recovery code. */
import { Button } from 'antd'
import { useRef, useState } from 'react'
import { useForm } from 'react-hook-form'
import { completeSignIn } from '../../api/account'
import { ApiError } from '../../api/errors'
import { CODE_LENGTH, CodeInput } from '../../components/form/CodeInput'
import { Field } from '../../components/form/Field'
import { FormError } from '../../components/form/FormError'
import { RecoveryCodeInput } from '../../components/form/RecoveryCodeInput'
import { SubmitButton } from '../../components/form/SubmitButton'
import { useSubmit } from '../../components/form/useSubmit'
import { useT } from '../../i18n/useT'
import { bareRecoveryCode, RECOVERY_CODE_LENGTH } from '../../lib/recoveryCode'
import { arrive, withRegions } from '../../session/arrive'
import styles from './login.module.css'

interface SecondStepProps {
  search: string
  /** The first step has expired: too late, or too many tries. */
  onExpired: () => void
  onBack: () => void
}

export function SecondStep({ search, onExpired, onBack }: SecondStepProps) {
  const t = useT()
  const [by, setBy] = useState<'app' | 'recovery'>('app')
  const other = by === 'app' ? 'recovery' : 'app'
  return (
    <>
      <h1 className={styles.title}>{t('mfa.title')}</h1>
      <p className={styles.lead}>{t(`mfa.lead.${by}`)}</p>
      {/* Input of one kind is never valid as the other. */}
      <SecondStepForm key={by} by={by} search={search} onExpired={onExpired} />
      <div className={styles.ways}>
        <Button type="link" className={styles.bare} onClick={() => setBy(other)}>
          {t(`mfa.use.${other}`)}
        </Button>
        <Button type="link" className={styles.bare} onClick={onBack}>
          {t('common.backToSignIn')}
        </Button>
      </div>
    </>
  )
}

interface FormProps extends Pick<SecondStepProps, 'search' | 'onExpired'> {
  by: 'app' | 'recovery'
}

function SecondStepForm({ by, search, onExpired }: FormProps) {
  const t = useT()
  const element = useRef<HTMLFormElement>(null)
  const form = useForm({ defaultValues: { code: '' } })
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: ({ code }) =>
      withRegions(completeSignIn(code)).catch((error: unknown) => {
        if (error instanceof ApiError && error.status === 410) onExpired()
        // Select the wrong code, so typing replaces it.
        else element.current?.querySelector('input')?.select()
        throw error
      }),
    done: (user) => arrive(user, search),
  })
  const isWhole = (code: string) =>
    by === 'app'
      ? code.length === CODE_LENGTH || t('field.code.rule')
      : bareRecoveryCode(code).length === RECOVERY_CODE_LENGTH || t('field.recoveryCode.rule')
  return (
    <form ref={element} noValidate onSubmit={onSubmit}>
      <FormError>{failure?.message}</FormError>
      <Field
        control={form.control}
        name="code"
        label={t(by === 'app' ? 'field.code' : 'field.recoveryCode')}
        hint={t(`mfa.hint.${by}`)}
        rules={{ validate: isWhole }}
      >
        {(input) =>
          by === 'app' ? (
            <CodeInput
              {...input}
              size="large"
              autoFocus
              onComplete={() => element.current?.requestSubmit()}
            />
          ) : (
            <RecoveryCodeInput {...input} size="large" autoFocus />
          )
        }
      </Field>
      <SubmitButton size="large" block sending={sending} retryAt={failure?.retryAt}>
        {t('login.submit')}
      </SubmitButton>
    </form>
  )
}
