/**
 * Says that a language pack failed to load. Its text is built in, in both languages, because the
 * pack with the texts is what is missing.
 */
import { changeLanguage, dismissLanguageFailure } from '../i18n/store'
import type { LanguageCode } from '../i18n/language'
import styles from './LanguageFailure.module.css'

const NAMES: Record<LanguageCode, string> = { 'zh-CN': '中文', 'en-US': 'English' }

interface LanguageFailureProps {
  code: LanguageCode
  /** No pack has loaded yet, so nothing else can be shown. */
  wholePage: boolean
}

export function LanguageFailure({ code, wholePage }: LanguageFailureProps) {
  return (
    <div className={wholePage ? styles.page : styles.notice} role="alert">
      <div className={styles.words}>
        <p lang="zh-CN">未能加载语言包（{NAMES[code]}）。请检查网络后重试。</p>
        <p lang="en-US">
          The language pack ({NAMES[code]}) could not be loaded. Check the network and try again.
        </p>
      </div>
      <div className={styles.actions}>
        <button type="button" className={styles.retry} onClick={() => void changeLanguage(code)}>
          重试 / Retry
        </button>
        {!wholePage && (
          <button type="button" className={styles.dismiss} onClick={dismissLanguageFailure}>
            关闭 / Close
          </button>
        )}
      </div>
    </div>
  )
}
