import { Button, type ButtonProps } from 'antd'
import { useT } from '../../i18n/useT'
import { useCountdown } from '../useCountdown'

interface SubmitButtonProps extends Pick<ButtonProps, 'size' | 'block' | 'danger' | 'disabled'> {
  sending: boolean
  /** The moment before which the server asked not to try again. */
  retryAt?: number | null
  children: React.ReactNode
}

/** Sends the form it stands in. While the server wants no more tries, it counts down instead. */
export function SubmitButton({ sending, retryAt = null, children, ...props }: SubmitButtonProps) {
  const t = useT()
  const wait = useCountdown(retryAt)
  return (
    <Button
      {...props}
      type="primary"
      htmlType="submit"
      loading={sending}
      disabled={props.disabled || wait > 0}
    >
      {wait > 0 ? t('login.wait', { seconds: wait }) : children}
    </Button>
  )
}
