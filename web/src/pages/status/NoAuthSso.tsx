/** A team may require its single sign-on, which then is what blocks access. */
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

interface SsoChoice {
  key: string
  label: string
  who: SsoWho
}

export function NoAuthSso({ user }: { user: User }) {
  const t = useT()
  const redirect = queryText(parseQuery(useLocation().search), 'redirect') ?? undefined
  const redirecting = useProviderRedirect(({ who }: SsoChoice) => startSso(who, redirect))
  const offered = useEnvironment()?.providers.sso
  if (!offered) return null
  const choices: SsoChoice[] = user.sso.map((team) => ({
    key: team.org_id,
    label: t('reauth.sso', { team: team.org_name }),
    who: { organization: team.org_id },
  }))
  // Not linked yet: the address's domain decides.
  if (choices.length === 0)
    choices.push({ key: '', label: t('sso.goOn'), who: { email: user.email } })
  return (
    <section aria-labelledby="sso-title">
      <h2 id="sso-title" className={styles.title}>
        {t('noAuth.sso')}
      </h2>
      <p className={styles.soft}>{t('noAuth.ssoText')}</p>
      <FormError>
        {redirecting.failure && failureText(redirecting.failure, t('sso.unavailableHere'))}
      </FormError>
      {choices.map((choice) => (
        <Button
          key={choice.key}
          className={styles.button}
          loading={redirecting.busy && redirecting.where?.key === choice.key}
          disabled={redirecting.busy && redirecting.where?.key !== choice.key}
          onClick={() => redirecting.go(choice)}
        >
          {choice.label}
        </Button>
      ))}
    </section>
  )
}
