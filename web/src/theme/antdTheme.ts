import { theme, type ThemeConfig } from 'antd'
import { BRAND, palettes, type Palette } from './palette'

export function antdTheme(dark: boolean, lessMotion = false): ThemeConfig {
  const palette = palettes[dark ? 'dark' : 'light']
  return {
    algorithm: dark ? theme.darkAlgorithm : theme.defaultAlgorithm,
    token: {
      colorPrimary: BRAND,
      motion: !lessMotion,
      borderRadius: 6,
      fontFamily: 'var(--font)',
      colorBgLayout: palette.page,
      colorBgContainer: palette.surface,
      colorBgElevated: palette.raised,
      colorBorderSecondary: palette.line,
      colorSplit: palette.line,
      colorText: palette.text,
      colorTextSecondary: palette['text-soft'],
      // Ant Design's own tertiary text and placeholders fall short of 4.5:1.
      colorTextTertiary: palette['text-soft'],
      colorTextDescription: palette['text-soft'],
      colorTextPlaceholder: palette['text-soft'],
      colorLink: palette.link,
      colorLinkHover: palette['link-hover'],
      colorLinkActive: palette['link-hover'],
      colorErrorText: palette.danger,
    },
    components: {
      Button: solid(palette),
      Form: { labelColor: palette.text, colorError: palette.danger },
      Table: {
        cellPaddingInlineMD: 14,
        headerBg: palette.surface,
        rowHoverBg: palette.page,
        // The arrow shows the sort column; a gray background would outweigh its figures.
        headerSortActiveBg: palette.surface,
        headerSortHoverBg: palette.page,
        bodySortBg: palette.surface,
      },
      // Dangerous items have red text, and a red background on hover.
      Dropdown: { colorError: palette.danger, colorTextLightSolid: palette['on-danger'] },
    },
  }
}

function solid(palette: Palette) {
  return {
    colorPrimary: palette.solid,
    colorPrimaryHover: palette['solid-hover'],
    colorPrimaryActive: palette['solid-active'],
    primaryShadow: 'none',
    defaultShadow: 'none',
    // On hover, a default button's text takes the link color; the solid button's color is too dark
    // for text on a dark background.
    defaultHoverColor: palette.link,
    defaultHoverBorderColor: palette.link,
    defaultActiveColor: palette['link-hover'],
    defaultActiveBorderColor: palette['link-hover'],
    fontWeight: 500,
    // Ant Design's red doesn't reach 4.5:1 for text, and the red for dark backgrounds can't carry
    // white text.
    colorError: palette.danger,
    colorErrorHover: palette.danger,
    colorErrorActive: palette.danger,
    colorErrorBorderHover: palette.danger,
    dangerColor: palette['on-danger'],
  }
}
