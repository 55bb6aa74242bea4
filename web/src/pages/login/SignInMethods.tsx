/** The ways to sign in, as tabs; a way that is not configured is not shown. */
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { FormError } from '../../components/form/FormError'
import { FormNotice } from '../../components/form/FormNotice'
import { Tabs } from '../../components/Tabs'
import type { MessageKey } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { parseQuery, queryText } from '../../lib/query'
import { paths } from '../../paths'
import { readArrival, type ArrivalNotice } from '../../session/arrival'
import { useEnvironment } from '../../session/useEnvironment'
import { passkeysSupported } from '../../session/passkey'
import { CodeSignIn } from './CodeSignIn'
import { rememberedMethod, rememberMethod, SIGN_IN_METHODS, type SignInMethod } from './method'
import { PasskeySignIn } from './PasskeySignIn'
import { PasswordSignIn } from './PasswordSignIn'
import { SecondStep } from './SecondStep'
import styles from './login.module.css'

const NOTICES: Record<ArrivalNotice, MessageKey> = {
  passwordReset: 'reset.done',
  accountDeleted: 'deletion.done',
}

/** `expired`: back at the first step, because too much time or too many tries went by. */
type Step = 'first' | 'second' | 'expired'

interface SignInMethodsProps {
  search: string
  /** A link has taken the first step already. */
  halfway?: boolean
}

export function SignInMethods({ search, halfway = false }: SignInMethodsProps) {
  const t = useT()
  const arrival = readArrival(useLocation().state)
  const [step, setStep] = useState<Step>(halfway ? 'second' : 'first')
  const [method, setMethod] = useState(rememberedMethod)
  // Whoever moves between the tabs by keyboard stays on them.
  const [moved, setMoved] = useState(false)
  const passkeys = passkeysSupported(useEnvironment()?.passkey_domain)
  // An address typed into one form is there in the other.
  const [address, setAddress] = useState(arrival.email ?? '')

  function choose(chosen: SignInMethod) {
    rememberMethod(chosen)
    setMethod(chosen)
    setMoved(true)
  }

  if (step === 'second') {
    return (
      <SecondStep
        search={search}
        onExpired={() => setStep('expired')}
        onBack={() => setStep('first')}
      />
    )
  }

  const course = { search, onSecondStep: () => setStep('second') }
  const form = { ...course, address, onAddress: setAddress, autoFocus: !moved, passkeys }
  return (
    <>
      <h1 className={styles.title}>{t('login.title')}</h1>
      <p className={styles.lead}>{t('login.lead')}</p>
      <FormNotice>{arrival.notice && step === 'first' && t(NOTICES[arrival.notice])}</FormNotice>
      <FormError>{step === 'expired' && t('mfa.expired')}</FormError>
      <Tabs
        label={t('login.methods')}
        tabs={SIGN_IN_METHODS.map((key) => ({ key, label: t(`login.by.${key}`) }))}
        active={method}
        onChoose={choose}
      >
        {method === 'code' ? <CodeSignIn {...form} /> : <PasswordSignIn {...form} />}
      </Tabs>
      {passkeys && <PasskeySignIn search={search} />}
      <WaysOn search={search} address={address} />
    </>
  )
}

function WaysOn({ search, address }: { search: string; address: string }) {
  const t = useT()
  const registration = useEnvironment()?.registration
  const redirect = queryText(parseQuery(search), 'redirect') ?? undefined
  return (
    <>
      <div className={styles.ways}>
        <Link to={paths.forgetPassword()} state={{ email: address }}>
          {t('login.forgot')}
        </Link>
        {registration === 'open' && (
          <Link to={paths.register({ redirect })} state={{ email: address }}>
            {t('login.register')}
          </Link>
        )}
      </div>
      {registration === 'invite' && <p className={styles.note}>{t('login.inviteOnly')}</p>}
    </>
  )
}
