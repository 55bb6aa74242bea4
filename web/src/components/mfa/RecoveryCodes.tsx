/** Ten codes, shown once. They stay on screen until the user confirms that they are stored. */
import { DownloadOutlined } from '@ant-design/icons'
import { Button, Checkbox } from 'antd'
import { useEffect, useRef, useState } from 'react'
import { useT } from '../../i18n/useT'
import { saveFile } from '../../lib/saveFile'
import { useUser } from '../../session/useUser'
import { CopyButton } from '../CopyButton'
import { PRODUCT } from '../documentTitle'
import dialog from '../dialog.module.css'
import styles from './mfa.module.css'

const FILE = 'atrium-recovery-codes.txt'

export function RecoveryCodes({ codes, onStored }: { codes: string[]; onStored: () => void }) {
  const t = useT()
  const email = useUser()?.email ?? ''
  const [stored, setStored] = useState(false)
  const list = useRef<HTMLUListElement>(null)

  // The previous step's focused element is gone; move on to the codes.
  useEffect(() => list.current?.focus(), [])

  function download() {
    const head = t('recovery.fileHead', { product: PRODUCT, account: email })
    saveFile(FILE, new Blob([`${head}\n\n${codes.join('\n')}\n`], { type: 'text/plain' }))
  }

  return (
    <>
      <p className={dialog.lead}>{t('recovery.lead')}</p>
      <ul
        ref={list}
        data-secret
        className={styles.codes}
        tabIndex={-1}
        aria-label={t('recovery.title')}
      >
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className={styles.keep}>
        <CopyButton text={codes.join('\n')}>{t('recovery.copy')}</CopyButton>
        <Button icon={<DownloadOutlined aria-hidden />} onClick={download}>
          {t('recovery.download')}
        </Button>
      </div>
      <div className={dialog.actions}>
        <Checkbox
          className={dialog.aside}
          checked={stored}
          onChange={({ target }) => setStored(target.checked)}
        >
          {t('recovery.stored')}
        </Checkbox>
        <Button type="primary" disabled={!stored} onClick={onStored}>
          {t('recovery.done')}
        </Button>
      </div>
    </>
  )
}
