/** A team may let in only who comes through its single sign-on: then that is what keeps the provider shut. */
import { Button } from 'antd'
import { useLocation } from 'react-router'
import type { User } from '../../api/account'
import { startSso, type SsoWho } from '../../api/sso'
import { FormError } from '../../components/form/FormError'
import { failureText } from '../../components/sso/SsoAgainButton'
import { useProviderRedirect } from '../../components/useProviderRedirect'
import { useT } from '../../i18n/useT'
import { parseQuery, queryText } from '../../lib/query'
import { useEnvironment } from '../../session/useEnvironment'
import styles from './NoAuthPage.module.css'

interface Way {
  key: string
  label: string
  who: SsoWho
}

export function NoAuthSso({ user }: { user: User }) {
  const t = useT()
  const redirect = queryText(parseQuery(useLocation().search), 'redirect') ?? undefined
  const redirecting = useProviderRedirect(({ who }: Way) => startSso(who, redirect))
  const offered = useEnvironment()?.providers.sso
  if (!offered) return null
  const ways: Way[] = user.sso.map((team) => ({
    key: team.org_id,
    label: t('reauth.sso', { team: team.org_name }),
    who: { organization: team.org_id },
  }))
  // Not linked yet: the domain of the address decides.
  if (ways.length === 0) ways.push({ key: '', label: t('sso.goOn'), who: { email: user.email } })
  return (
    <section aria-labelledby="sso-title">
      <h2 id="sso-title" className={styles.title}>
        {t('noAuth.sso')}
      </h2>
      <p className={styles.soft}>{t('noAuth.ssoText')}</p>
      <FormError>
        {redirecting.failure && failureText(redirecting.failure, t('sso.unavailableHere'))}
      </FormError>
      {ways.map((way) => (
        <Button
          key={way.key}
          className={styles.button}
          loading={redirecting.busy && redirecting.where?.key === way.key}
          disabled={redirecting.busy && redirecting.where?.key !== way.key}
          onClick={() => redirecting.go(way)}
        >
          {way.label}
        </Button>
      ))}
    </section>
  )
}
