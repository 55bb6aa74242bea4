import { UploadOutlined } from '@ant-design/icons'
import { Button } from 'antd'
import TextArea from 'antd/es/input/TextArea'
import { useId, useRef, useState } from 'react'
import { useT } from '../../../i18n/useT'
import { MOST_IDS, readIds } from './ids'
import styles from './cohorts.module.css'

/** Far more than the largest cohort's IDs need. */
const LARGEST_FILE = 10 * 1024 * 1024

interface IdsFieldProps {
  value: string
  onChange: (text: string) => void
}

/** IDs, pasted or from a file. Immediately shows how many were recognized. */
export function IdsField({ value, onChange }: IdsFieldProps) {
  const t = useT()
  const id = useId()
  const file = useRef<HTMLInputElement>(null)
  const [failure, setFailure] = useState<string | null>(null)
  const count = readIds(value).length

  async function read(chosen: File | undefined) {
    if (!chosen) return
    setFailure(null)
    if (chosen.size > LARGEST_FILE) return setFailure(t('cohorts.fileTooLarge'))
    try {
      onChange(readIds(await chosen.text()).join('\n'))
    } catch {
      setFailure(t('cohorts.fileUnreadable'))
    }
  }
  return (
    <div className={styles.ids}>
      <label htmlFor={id}>{t('cohorts.ids')}</label>
      <TextArea
        id={id}
        className={styles.idText}
        rows={8}
        spellCheck={false}
        value={value}
        placeholder={t('cohorts.idsHint')}
        aria-describedby={`${id}-note`}
        onChange={({ target }) => onChange(target.value)}
      />
      <div className={styles.idFoot}>
        <p
          id={`${id}-note`}
          aria-live="polite"
          className={count > MOST_IDS ? styles.wrong : styles.soft}
        >
          {failure ?? t('cohorts.idsRead', { count, most: MOST_IDS })}
        </p>
        <Button
          size="small"
          icon={<UploadOutlined aria-hidden />}
          onClick={() => file.current?.click()}
        >
          {t('cohorts.upload')}
        </Button>
        <input
          ref={file}
          type="file"
          hidden
          accept=".csv,.txt,text/csv,text/plain"
          aria-label={t('cohorts.upload')}
          onChange={({ target }) => {
            void read(target.files?.[0])
            // Lets the same file be picked again after it changes.
            target.value = ''
          }}
        />
      </div>
    </div>
  )
}
