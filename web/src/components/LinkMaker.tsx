/** Creates a secret link, copies it, and shows it for sharing manually. */
import { useMutation } from '@tanstack/react-query'
import { Button } from 'antd'
import { useT } from '../i18n/useT'
import { copyText } from '../lib/clipboard'
import { CopyButton } from './CopyButton'
import { Dialog } from './Dialog'
import { FormError } from './form/FormError'
import { Moment } from './Moment'
import dialog from './dialog.module.css'
import styles from './LinkMaker.module.css'

interface MadeLink {
  link: string
  expires_at: string
  /** False if it only leads to the console and the person already has an account. */
  makes_account?: boolean
}

interface LinkMakerProps {
  make: () => Promise<MadeLink>
  /** Whose link it is; tells the button apart from others. */
  label: string
}

export function LinkMaker({ make, label }: LinkMakerProps) {
  const t = useT()
  const making = useMutation({
    mutationFn: make,
    // If the browser refuses, there is a copy button beside the link.
    onSuccess: ({ link }) => void copyText(link),
  })
  const made = making.data
  return (
    <>
      <FormError>{making.error?.message}</FormError>
      {made ? (
        <div className={styles.made}>
          <code data-secret>{made.link}</code>
          <CopyButton text={made.link}>{t('link.copy')}</CopyButton>
          <p role="status">
            {made.makes_account === false ? (
              t('link.hasAccount')
            ) : (
              <>
                <Moment after={t('link.until')} at={made.expires_at} />
              </>
            )}
          </p>
        </div>
      ) : (
        <Button loading={making.isPending} aria-label={label} onClick={() => making.mutate()}>
          {t('link.copy')}
        </Button>
      )}
    </>
  )
}

interface LinkDialogProps extends LinkMakerProps {
  title: string
  text: string
  onClose: () => void
}

/**
 * The same, after explaining the consequences: earlier links stop working, and anyone with this one
 * can use it.
 */
export function LinkDialog({ title, text, onClose, ...maker }: LinkDialogProps) {
  const t = useT()
  return (
    <Dialog title={title} width={560} onCancel={onClose}>
      <p className={dialog.lead}>{text}</p>
      <LinkMaker {...maker} />
      <div className={dialog.actions}>
        <Button onClick={onClose}>{t('common.close')}</Button>
      </div>
    </Dialog>
  )
}
