/**
 * The ways to sign in: our own as tabs, providers as buttons below. Providers that aren't
 * configured aren't shown.
 */
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { FormError } from '../../components/form/FormError'
import { FormNotice } from '../../components/form/FormNotice'
import { onDemand } from '../../components/onDemand'
import { Tabs } from '../../components/Tabs'
import type { MessageKey, Translate } from '../../i18n/store'
import { useT } from '../../i18n/useT'
import { parseQuery, queryText } from '../../lib/query'
import { paths } from '../../paths'
import { readArrival, type ArrivalNotice } from '../../session/arrival'
import { SIGN_IN_PROVIDERS, readSignInProvider } from '../../session/signInProviders'
import { useEnvironment } from '../../session/useEnvironment'
import { passkeysSupported } from '../../session/passkey'
import { CodeSignIn } from './CodeSignIn'
import { SIGN_IN_TABS } from './method'
import { PasskeySignIn } from './PasskeySignIn'
import { PasswordSignIn } from './PasswordSignIn'
import { SecondStep } from './SecondStep'
import { useSignInMethod } from './useSignInMethod'
import styles from './login.module.css'

const ProviderSignIn = onDemand(() => import('./ProviderSignIn'))
const ProviderFailure = onDemand(() => import('./ProviderFailure'))

const NOTICES: Record<ArrivalNotice, MessageKey> = {
  passwordReset: 'reset.done',
  accountDeleted: 'deletion.done',
}

/** `expired`: back to the first step after too much time or too many tries. */
type Step = 'first' | 'second' | 'expired'

/** What a provider's redirect left in the URL. */
interface ProviderNews {
  failed: string | null
  provider: string | null
  notice: string | null
}

interface SignInMethodsProps {
  search: string
  /** The first step is already done, by link or at a provider. */
  halfway?: boolean
  news?: ProviderNews
}

export function SignInMethods({ search, halfway = false, news }: SignInMethodsProps) {
  const t = useT()
  const arrival = readArrival(useLocation().state)
  const environment = useEnvironment()
  const providers = SIGN_IN_PROVIDERS.filter((provider) => environment?.providers[provider])
  const [step, setStep] = useState<Step>(halfway ? 'second' : 'first')
  const passkeys = passkeysSupported(environment?.passkey_domain)
  // The address is shared between the forms.
  const [address, setAddress] = useState(arrival.email ?? '')
  const method = useSignInMethod(providers.includes('sso'), {
    known: environment !== undefined,
    // Don't leave the form if the user has started typing or has a message to read.
    waives: address !== (arrival.email ?? '') || !!news?.notice || news?.failed != null,
  })

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
  const form = { ...course, address, onAddress: setAddress, autoFocus: !method.moved, passkeys }
  const offersRetry =
    readSignInProvider(news?.provider ?? null) === 'sso' &&
    providers.includes('sso') &&
    !method.inSso
  return (
    <>
      <h1 className={styles.title}>{t('login.title')}</h1>
      <p className={styles.lead}>{t('login.lead')}</p>
      <FormNotice>{step === 'first' && noticeOf(arrival.notice, news?.notice, t)}</FormNotice>
      <FormError>{step === 'expired' && t('mfa.expired')}</FormError>
      {news?.failed != null && (
        <ProviderFailure
          needed
          search={search}
          failed={news.failed}
          onRetry={offersRetry ? method.openSso : undefined}
        />
      )}
      {method.inSso ? (
        <div className={styles.ssoPlace}>
          <ProviderSignIn
            needed
            part="sso"
            search={search}
            address={address}
            onAddress={setAddress}
          />
        </div>
      ) : (
        <Tabs
          label={t('login.methods')}
          tabs={SIGN_IN_TABS.map((key) => ({ key, label: t(`login.by.${key}`) }))}
          active={method.tab}
          onChoose={method.choose}
        >
          {method.tab === 'code' ? <CodeSignIn {...form} /> : <PasswordSignIn {...form} />}
        </Tabs>
      )}
      {(passkeys || providers.length > 0) && (
        <div className={styles.others}>
          <p className={styles.or}>{t(providers.length > 0 ? 'login.orBy' : 'login.or')}</p>
          {passkeys && <PasskeySignIn search={search} />}
          {providers.length > 0 && (
            <div className={styles.providersPlace} data-count={providers.length}>
              <ProviderSignIn
                needed
                part="providers"
                search={search}
                providers={providers}
                inSso={method.inSso}
                onSso={method.openSso}
                onBack={method.closeSso}
              />
            </div>
          )}
        </div>
      )}
      <MoreOptions search={search} address={address} />
    </>
  )
}

function noticeOf(arrived: ArrivalNotice | undefined, notice: unknown, t: Translate) {
  if (notice === 'sso_link') return t('login.ssoLink')
  return arrived && t(NOTICES[arrived])
}

function MoreOptions({ search, address }: { search: string; address: string }) {
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
