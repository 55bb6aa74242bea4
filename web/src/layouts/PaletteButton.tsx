import { SearchOutlined } from '@ant-design/icons'
import { capsOf } from '../components/shortcuts/registry'
import { showOverlay } from '../components/shortcuts/overlay'
import { useT } from '../i18n/useT'
import styles from './PaletteButton.module.css'

/** Looks like a search field if there is room, because it opens one. */
export function PaletteButton() {
  const t = useT()
  return (
    <button
      type="button"
      className={styles.opener}
      aria-label={t('palette.open')}
      aria-haspopup="dialog"
      aria-keyshortcuts="Control+K Meta+K"
      title={t('palette.open')}
      onClick={() => showOverlay('palette')}
    >
      <SearchOutlined aria-hidden />
      <span className={styles.words}>{t('palette.open')}</span>
      <kbd className={styles.keys}>{capsOf('Mod+k').join(' ')}</kbd>
    </button>
  )
}
