/** The console's frame for signed-in users: top bar, sections, content. */
import { useEffect, useRef } from 'react'
import { Link, useLocation } from 'react-router'
import { BrandMark } from '../components/BrandMark'
import { LanguageSwitch, ThemeSwitch } from '../components/Preferences'
import { OverlayHost } from '../components/shortcuts/overlay'
import { useT } from '../i18n/useT'
import { paths } from '../paths'
import { Bell } from './Bell'
import { FactorNotice } from './FactorNotice'
import { OrgSwitcher } from './OrgSwitcher'
import { PaletteButton } from './PaletteButton'
import { PersonMenu } from './PersonMenu'
import { PhoneMenu } from './PhoneMenu'
import { SectionLinks } from './SectionLinks'
import styles from './Shell.module.css'

const CONTENT_ID = 'content'

export function Shell({ children }: { children: React.ReactNode }) {
  const t = useT()
  const content = useFocusOnNavigation()
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href={`#${CONTENT_ID}`}>
        {t('shell.skip')}
      </a>
      <header className={styles.bar}>
        <PhoneMenu className={styles.phoneOnly} />
        <Link to={paths.root()} className={styles.brand} aria-label={t('shell.home')}>
          <BrandMark />
        </Link>
        <OrgSwitcher />
        <SectionLinks className={styles.sections} />
        <PaletteButton />
        <div className={styles.tools}>
          <LanguageSwitch />
          <ThemeSwitch />
        </div>
        <Bell />
        <PersonMenu />
      </header>
      <FactorNotice />
      <main id={CONTENT_ID} ref={content} tabIndex={-1} className={styles.content}>
        {children}
      </main>
      <OverlayHost />
    </div>
  )
}

/**
 * After navigation, keyboard and screen reader start at the content, as in a newly loaded document.
 */
function useFocusOnNavigation() {
  const content = useRef<HTMLElement>(null)
  const { pathname } = useLocation()
  const shown = useRef(pathname)
  useEffect(() => {
    if (shown.current === pathname) return
    shown.current = pathname
    content.current?.focus({ preventScroll: true })
  }, [pathname])
  return content
}
