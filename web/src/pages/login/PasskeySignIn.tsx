/** Signing in with a passkey: with a button, or from the address field's autofill. */
import { KeyOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { passkeySignInOptions, signInByPasskey, type User } from '../../api/account'
import { ApiError } from '../../api/errors'
import { FormError } from '../../components/form/FormError'
import { useCountdown } from '../../components/useCountdown'
import { useT } from '../../i18n/useT'
import { arrive, withRegions } from '../../session/arrive'
import { chosenPasskey } from '../../session/passkey'
import { offerInAutofill } from './passkeyAutofill'
import styles from './login.module.css'

export function PasskeySignIn({ search }: { search: string }) {
  const t = useT()
  const [sending, setSending] = useState(false)
  const [failure, setFailure] = useState<ApiError | null>(null)
  const wait = useCountdown(failure?.retryAt ?? null)
  const offer = useRef<AbortController>(null)

  useEffect(() => {
    // Browsers allow one request at a time: the button's replaces autofill's.
    if (sending) return
    const controller = new AbortController()
    offer.current = controller
    void offerInAutofill(controller.signal, {
      onUser: (user) => arrive(user, search),
      onFailure: setFailure,
    })
    return () => controller.abort()
  }, [sending, search])

  async function signIn() {
    offer.current?.abort()
    setSending(true)
    setFailure(null)
    try {
      arrive(await signInByButton(), search)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      setFailure(error)
      setSending(false)
    }
  }

  return (
    <div className={styles.passkey}>
      <FormError>{failure?.message}</FormError>
      <Button
        size="large"
        block
        icon={<KeyOutlined aria-hidden />}
        loading={sending}
        disabled={wait > 0}
        onClick={() => void signIn()}
      >
        {wait > 0 ? t('login.wait', { seconds: wait }) : t('passkey.signIn')}
      </Button>
    </div>
  )
}

async function signInByButton(): Promise<User> {
  const credential = await chosenPasskey(await passkeySignInOptions())
  return withRegions(signInByPasskey(credential))
}
