import { Button, type ButtonProps } from 'antd'
import { useT } from '../../i18n/useT'
import { useCountdown } from '../useCountdown'

interface SubmitButtonProps extends Pick<ButtonProps, 'size' | 'block' | 'danger' | 'disabled'> {
  sending: boolean
  /** The time before which the server asked not to retry. */
  retryAt?: number | null
  children: React.ReactNode
}

/** Submits its form. While the server wants no retries, it counts down instead. */
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
