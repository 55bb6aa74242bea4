import { Button } from 'antd'
import { ApiError } from '../../api/errors'
import { useT } from '../../i18n/useT'
import { useShownOrg } from '../../session/org'
import { useUser } from '../../session/useUser'
import { FormError } from '../form/FormError'
import { useSsoAgain } from './useSsoAgain'

/**
 * Signs in again through the current team's provider. If the URL names no team, uses the only team
 * the user is linked to, or the domain of their address.
 */
export function SsoAgainButton() {
  const t = useT()
  const user = useUser()
  const shown = useShownOrg()
  const organization = shown ?? (user?.sso.length === 1 ? user.sso[0]!.org_id : null)
  const redirecting = useSsoAgain()
  return (
    <div>
      <FormError>
        {redirecting.failure && failureText(redirecting.failure, t('sso.unavailableHere'))}
      </FormError>
      <Button
        type="primary"
        loading={redirecting.busy}
        onClick={() =>
          redirecting.go(organization ? { organization } : { email: user?.email ?? '' })
        }
      >
        {t('sso.goOn')}
      </Button>
    </div>
  )
}

export function failureText(failure: Error, unavailable: string): string {
  return failure instanceof ApiError && failure.status === 503 ? unavailable : failure.message
}
