/** A line in English on the first visit, for browsers that prefer it. */
import { CloseOutlined } from '@ant-design/icons'
import { useEffect } from 'react'
import { closeOffer, rememberOffer, useLanguageOffer } from '../i18n/offer'
import { changeLanguage, useLanguageStore } from '../i18n/store'
import styles from './LanguageOffer.module.css'

export function LanguageOffer() {
  const { open } = useLanguageOffer()
  const current = useLanguageStore((state) => state.currentLang)
  const shown = open && current !== 'en-US'
  useEffect(() => {
    if (shown) rememberOffer()
  }, [shown])
  if (!shown) return null
  return (
    // For people who can't read the rest, so it is in no language pack.
    <p className={styles.offer} lang="en-US">
      Prefer English?{' '}
      <button type="button" className={styles.link} onClick={() => void changeLanguage('en-US')}>
        Switch to English
      </button>
      <button type="button" className={styles.close} aria-label="Dismiss" onClick={closeOffer}>
        <CloseOutlined aria-hidden />
      </button>
    </p>
  )
}
