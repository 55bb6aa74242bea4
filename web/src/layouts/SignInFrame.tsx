/** The frame for pages before sign-in: the product on one side, the form on the other. */
import { BrandMark } from '../components/BrandMark'
import { LanguageSwitch, ThemeSwitch } from '../components/Preferences'
import { useT } from '../i18n/useT'
import { Arches } from './Arches'
import { LanguageOffer } from './LanguageOffer'
import styles from './SignInFrame.module.css'

export function SignInFrame({ children }: { children: React.ReactNode }) {
  const t = useT()
  return (
    <div className={styles.frame}>
      <header className={styles.bar}>
        <BrandMark />
        <div className={styles.preferences}>
          <LanguageSwitch />
          <ThemeSwitch />
        </div>
      </header>
      <aside className={styles.product} aria-label={t('brand.about')}>
        <p className={styles.claim}>{t('brand.claim')}</p>
        <p className={styles.detail}>{t('brand.detail')}</p>
        <Arches className={styles.arches} />
      </aside>
      <main className={styles.task}>
        <div className={styles.column}>
          <LanguageOffer />
          {children}
        </div>
      </main>
    </div>
  )
}
