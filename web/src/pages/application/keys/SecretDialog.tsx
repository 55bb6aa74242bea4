/** Values shown only once. They stay on screen until the user confirms that they are stored. */
import { Button, Checkbox, Modal } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { CopyButton } from '../../../components/CopyButton'
import { useUnsaved } from '../../../components/form/unsaved'
import { useT } from '../../../i18n/useT'
import dialog from '../../../components/dialog.module.css'
import styles from './keys.module.css'

interface SecretDialogProps {
  title: string
  lead: string
  values: { label: string; value: string; copy: string }[]
  /** More ways to save them. */
  children?: React.ReactNode
  onStored: () => void
}

export function SecretDialog(props: SecretDialogProps) {
  return (
    <Modal
      open
      title={props.title}
      footer={null}
      // A stray click or key must not close it.
      closable={false}
      mask={{ closable: false }}
      keyboard={false}
      width={600}
      destroyOnHidden
    >
      <Secrets {...props} />
    </Modal>
  )
}

function Secrets({ lead, values, children, onStored }: SecretDialogProps) {
  const t = useT()
  const [stored, setStored] = useState(false)
  const list = useRef<HTMLDListElement>(null)
  useUnsaved(!stored)

  // The previous dialog's focused element is gone; move on to the values.
  useEffect(() => list.current?.focus(), [])

  return (
    <>
      <p className={dialog.lead}>{lead}</p>
      <dl ref={list} className={styles.secrets} tabIndex={-1}>
        {values.map(({ label, value, copy }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <code data-secret>{value}</code>
              <CopyButton text={value}>{copy}</CopyButton>
            </dd>
          </div>
        ))}
      </dl>
      {children && <div className={styles.keep}>{children}</div>}
      <div className={dialog.actions}>
        <Checkbox
          className={dialog.aside}
          checked={stored}
          onChange={({ target }) => setStored(target.checked)}
        >
          {t('keys.stored')}
        </Checkbox>
        <Button type="primary" disabled={!stored} onClick={onStored}>
          {t('recovery.done')}
        </Button>
      </div>
    </>
  )
}
