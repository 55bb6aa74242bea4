/** Language and theme, one click each, without a menu. */
import { DesktopOutlined, MoonOutlined, SunOutlined } from '@ant-design/icons'
import { LANGUAGES, type LanguageCode } from '../i18n/language'
import { changeLanguage, useLanguageStore, type MessageKey } from '../i18n/store'
import { useT } from '../i18n/useT'
import { chooseTheme, THEME_MODES, useThemeStore, type ThemeMode } from '../theme/store'
import { ChoiceGroup } from './ChoiceGroup'

// Languages are named in themselves, so the people who need one can read it.
const LANGUAGE_LABELS: Record<LanguageCode, { short: string; name: string }> = {
  'zh-CN': { short: '中文', name: '中文' },
  'en-US': { short: 'EN', name: 'English' },
}

const THEMES: Record<ThemeMode, { icon: React.ReactNode; label: MessageKey }> = {
  light: { icon: <SunOutlined aria-hidden />, label: 'theme.light' },
  dark: { icon: <MoonOutlined aria-hidden />, label: 'theme.dark' },
  system: { icon: <DesktopOutlined aria-hidden />, label: 'theme.system' },
}

export function LanguageSwitch() {
  const t = useT()
  const current = useLanguageStore((state) => state.currentLang)
  return (
    <ChoiceGroup
      label={t('language.label')}
      value={current}
      onChoose={(code) => void changeLanguage(code)}
      choices={LANGUAGES.map((code) => ({
        value: code,
        name: LANGUAGE_LABELS[code].name,
        shown: <span lang={code}>{LANGUAGE_LABELS[code].short}</span>,
      }))}
    />
  )
}

export function ThemeSwitch() {
  const t = useT()
  const mode = useThemeStore((state) => state.mode)
  return (
    <ChoiceGroup
      label={t('theme.label')}
      value={mode}
      onChoose={chooseTheme}
      choices={THEME_MODES.map((value) => ({
        value,
        name: t(THEMES[value].label),
        shown: THEMES[value].icon,
      }))}
    />
  )
}
