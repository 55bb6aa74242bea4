/**
 * Turns on two-step verification: a button and its dialog. Used wherever a second factor is
 * required, with or without the console around it.
 */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Button, type ButtonProps } from 'antd'
import { useState } from 'react'
import { beginTotp, totpQuery } from '../../api/security'
import { useT } from '../../i18n/useT'
import { reloadUser } from '../../session/session'
import { FormError } from '../form/FormError'
import { TotpDialog } from './TotpDialog'

interface TotpEnrollmentProps extends Pick<ButtonProps, 'type'> {
  /** Called once it is on and the recovery codes are stored. */
  onDone?: () => void
}

export function TotpEnrollment({ type = 'primary', onDone }: TotpEnrollmentProps) {
  const t = useT()
  const client = useQueryClient()
  const [open, setOpen] = useState(false)
  const beginning = useMutation({ mutationFn: beginTotp, onSuccess: () => setOpen(true) })

  function finish() {
    setOpen(false)
    // Refetches whatever depends on having a second factor.
    void client.invalidateQueries(totpQuery)
    void reloadUser().catch(() => {})
    onDone?.()
  }

  return (
    <div>
      <FormError>{beginning.error?.message}</FormError>
      <Button type={type} loading={beginning.isPending} onClick={() => beginning.mutate()}>
        {t('totp.enable')}
      </Button>
      {beginning.data && (
        <TotpDialog
          open={open}
          beginning={beginning.data}
          onCancel={() => setOpen(false)}
          onDone={finish}
        />
      )}
    </div>
  )
}
