import { MenuOutlined } from '@ant-design/icons'
import { Button, Drawer } from 'antd'
import { useState } from 'react'
import { LanguageSwitch, ThemeSwitch } from '../components/Preferences'
import { BrandMark } from '../components/BrandMark'
import { useT } from '../i18n/useT'
import { SectionLinks } from './SectionLinks'
import styles from './PhoneMenu.module.css'

/** Sections and preferences, for when the bar has no room. */
export function PhoneMenu({ className }: { className?: string }) {
  const t = useT()
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button
        type="text"
        className={className}
        icon={<MenuOutlined aria-hidden />}
        aria-label={t('shell.openMenu')}
        aria-expanded={open}
        onClick={() => setOpen(true)}
      />
      <Drawer
        open={open}
        onClose={() => setOpen(false)}
        placement="left"
        size={280}
        title={<BrandMark />}
        aria-label={t('shell.menu')}
        closable={{ placement: 'end', 'aria-label': t('common.close') }}
      >
        <div className={styles.menu}>
          <SectionLinks className={styles.sections} onFollow={() => setOpen(false)} />
          <div className={styles.preferences}>
            <LanguageSwitch />
            <ThemeSwitch />
          </div>
        </div>
      </Drawer>
    </>
  )
}
