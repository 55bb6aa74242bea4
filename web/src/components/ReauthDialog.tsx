import { Button, Input } from 'antd'
import { useId, useState } from 'react'
import { useForm } from 'react-hook-form'
import { ApiError } from '../api/errors'
import { reauthenticate } from '../api/security'
import type { SsoWho } from '../api/sso'
import { useT } from '../i18n/useT'
import { goTo } from '../lib/navigation'
import { paths } from '../paths'
import { shownAddress } from '../session/guard'
import { useUser } from '../session/useUser'
import { Dialog } from './Dialog'
import { Field } from './form/Field'
import { FormError } from './form/FormError'
import { PasswordInput } from './form/PasswordInput'
import { SubmitButton } from './form/SubmitButton'
import { useSubmit } from './form/useSubmit'
import { settleProof, useReauth } from './reauth'
import { failureText } from './sso/SsoAgainButton'
import { useSsoAgain } from './sso/useSsoAgain'
import styles from './dialog.module.css'

/** Above every other dialog: the one that triggered this stays open below. */
const ON_TOP = 1040

export default function ReauthDialog() {
  const t = useT()
  const asking = useReauth((state) => state.asking)
  const hasPassword = useUser()?.has_password !== false
  return (
    <Dialog
      open={asking}
      title={t('reauth.title')}
      width={420}
      zIndex={ON_TOP}
      onCancel={() => settleProof(false)}
    >
      {hasPassword ? <ProofForm /> : <NoPassword />}
    </Dialog>
  )
}

/** Without a password there is nothing to type: sign in again or set a password first. */
function NoPassword() {
  const t = useT()
  const user = useUser()
  const redirecting = useSsoAgain()
  const linked = user?.sso ?? []
  return (
    <>
      <p className={styles.lead}>{t(linked.length > 0 ? 'reauth.bySso' : 'reauth.noPassword')}</p>
      <FormError>
        {redirecting.failure && failureText(redirecting.failure, t('sso.unavailableHere'))}
      </FormError>
      <div className={styles.choices}>
        {linked.map(({ org_id, org_name }) => (
          <Button
            key={org_id}
            block
            type="primary"
            loading={redirecting.busy && isFor(redirecting.where, org_id)}
            disabled={redirecting.busy && !isFor(redirecting.where, org_id)}
            onClick={() => redirecting.go({ organization: org_id })}
          >
            {t('reauth.sso', { team: org_name })}
          </Button>
        ))}
        <Button block type={linked.length > 0 ? 'default' : 'primary'} onClick={signInAgain}>
          {t('reauth.signInAgain')}
        </Button>
        <Button block onClick={() => setPasswordByMail(user?.email)}>
          {t('account.password.byMail')}
        </Button>
      </div>
      <div className={styles.actions}>
        <Button type="text" onClick={() => settleProof(false)}>
          {t('common.cancel')}
        </Button>
      </div>
    </>
  )
}

const isFor = (who: SsoWho | undefined, org: string) =>
  who !== undefined && 'organization' in who && who.organization === org

function setPasswordByMail(email: string | undefined): void {
  settleProof(false)
  goTo(paths.forgetPassword(), { state: { email } })
}

function ProofForm() {
  const t = useT()
  const email = useUser()?.email
  // Requested only when the server says so: most sessions have already passed the second step.
  const [wantsCode, setWantsCode] = useState(false)
  const form = useForm({ mode: 'onSubmit', defaultValues: { password: '', code: '' } })
  const { sending, failure, onSubmit } = useSubmit(form, {
    send: ({ password, code }) =>
      reauthenticate(password, code || undefined).catch((error: unknown) => {
        if (error instanceof ApiError && error.code === 'code_required') setWantsCode(true)
        throw error
      }),
    done: () => settleProof(true),
  })
  const note = useId()
  return (
    <form noValidate onSubmit={onSubmit} aria-describedby={note}>
      <p id={note} className={styles.lead}>
        {t('reauth.lead')}
      </p>
      <FormError>{failure?.message}</FormError>
      <input hidden readOnly type="text" name="username" autoComplete="username" value={email} />
      <Field
        control={form.control}
        name="password"
        label={t('field.password')}
        rules={{ required: t('field.password.required') }}
      >
        {(input) => <PasswordInput {...input} autoComplete="current-password" />}
      </Field>
      {wantsCode && (
        <Field control={form.control} name="code" label={t('reauth.code')}>
          {(input) => <Input {...input} data-secret autoFocus autoComplete="one-time-code" />}
        </Field>
      )}
      <div className={styles.actions}>
        <Button type="link" className={styles.aside} onClick={signInAgain}>
          {t('reauth.signInAgain')}
        </Button>
        <Button onClick={() => settleProof(false)}>{t('common.cancel')}</Button>
        <SubmitButton sending={sending} retryAt={failure?.retryAt}>
          {t('reauth.submit')}
        </SubmitButton>
      </div>
    </form>
  )
}

/** For people who forgot the password or never had one: a fresh sign-in proves as much. */
function signInAgain(): void {
  settleProof(false)
  goTo(paths.logout({ redirect: shownAddress() }))
}
