/** The ways to sign in, as tabs; a way that is not configured is not shown. */
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { FormNotice } from '../../components/form/FormNotice'
import { Tabs } from '../../components/Tabs'
import { useT } from '../../i18n/useT'
import { parseQuery, queryText } from '../../lib/query'
import { paths } from '../../paths'
import { readArrival } from '../../session/arrival'
import { useEnvironment } from '../../session/useEnvironment'
import { CodeSignIn } from './CodeSignIn'
import { rememberedMethod, rememberMethod, SIGN_IN_METHODS, type SignInMethod } from './method'
import { PasswordSignIn } from './PasswordSignIn'
import styles from './login.module.css'

export function SignInMethods({ search }: { search: string }) {
  const t = useT()
  const arrival = readArrival(useLocation().state)
  const [method, setMethod] = useState(rememberedMethod)
  // Whoever moves between the tabs by keyboard stays on them.
  const [moved, setMoved] = useState(false)
  // An address typed into one form is there in the other.
  const [address, setAddress] = useState(arrival.email ?? '')

  function choose(chosen: SignInMethod) {
    rememberMethod(chosen)
    setMethod(chosen)
    setMoved(true)
  }

  const form = { search, address, onAddress: setAddress, autoFocus: !moved }
  return (
    <>
      <h1 className={styles.title}>{t('login.title')}</h1>
      <p className={styles.lead}>{t('login.lead')}</p>
      <FormNotice>{arrival.notice === 'passwordReset' && t('reset.done')}</FormNotice>
      <Tabs
        label={t('login.methods')}
        tabs={SIGN_IN_METHODS.map((key) => ({ key, label: t(`login.by.${key}`) }))}
        active={method}
        onChoose={choose}
      >
        {method === 'code' ? <CodeSignIn {...form} /> : <PasswordSignIn {...form} />}
      </Tabs>
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
